/** Tests the exact output of the formats `text` and `mermaid`. */
import * as fc from 'fast-check';
import { defineTool, resolver } from 'mcp-resolve';
import { explain } from 'mcp-resolve/graph';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { names, note, ping, planTrip, toolNamed, transfer, unwieldy } from './samples.js';

describe('the format text', () => {
  it('draws parameters as trees, and a shared resolver once', () => {
    expect(explain(transfer, { format: 'text' })).toBe(
      `
tool transfer_money  once
Transfer money to another account, once a person has approved the amount.

filled by the model
  account    string
  cents      integer
  currency?  "EUR" | "USD" | "CHF"
  note?      string

guards, which run first
  may_transfer (account)  asks with a form
  └─ who ← caller         computed

filled by resolvers
  approval (cents)                outcome · asks with a form: approve, comment
  ├─ rate (currency)              computed · pinned
  └─ risk                         outcome · asks the model
     ├─ purpose                   asks with a form: purpose, urgent
     │  └─ account (id: account)  computed
     │     └─ db                  computed · disposed
     └─ account                   above
  signedIn                        asks with a link
  └─ account                      above
  from ← account                  above
  folders                         asks for the roots

rounds  at most 5: may_transfer, then purpose, then risk, then approval
client  needs form elicitation, url elicitation, sampling, roots
`.trim(),
    );
  });

  it('is short for a tool without resolvers', () => {
    expect(explain(ping, { format: 'text' })).toBe(
      `
tool ping
Answers.

rounds  1: no questions
client  needs nothing
`.trim(),
    );
  });

  it('names the user as the source for a prompt, and the URI for a resource', () => {
    expect(explain(planTrip, { format: 'text' })).toContain(
      'filled by the user\n  city   string\n  days?  string',
    );
    expect(explain(note, { format: 'text' })).toBe(
      `
resource note notes://{folder}/{+path*}

filled from the URI
  folder  string | string[]
  path    string | string[]

filled by resolvers
  reader  computed

rounds  1: no questions
client  needs nothing
`.trim(),
    );
  });

  it('aligns columns with wide characters', () => {
    const lines = explain(unwieldy, { format: 'text' }).split('\n');
    expect(lines).toContain('  金額 ← 確認済みの注文金額 (编号: 商品番号)   asks the model');
    expect(lines).toContain('  └─ 授权 ← הרשאת_משתמש                        above');
  });

  it('continues a deep tree further below', () => {
    let last = resolver({}, () => 0, { name: 'r0' });
    for (let depth = 1; depth < 25; depth += 1) {
      last = resolver({ last }, () => 0, { name: `r${depth}` });
    }
    const text = explain(
      defineTool('deep', { resolve: { last } }, () => 'done'),
      { format: 'text' },
    );
    const shown = text.split('\n').filter((line) => line.includes('computed'));
    expect(shown).toHaveLength(25);
    expect(text).toContain('last ← r14  below');
    expect(text).toContain('continued\n  r14 ');
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(80);
  });

  it('adds colours only with the option, and changes nothing else', () => {
    const colored = explain(transfer, { format: 'text', color: true });
    const escapes = /\u001b\[\d+m/g;
    expect(explain(transfer, { format: 'text' })).not.toMatch(escapes);
    expect(colored.match(escapes)?.length).toBeGreaterThan(20);
    expect(colored.replace(escapes, '')).toBe(explain(transfer, { format: 'text' }));
  });

  it('replaces control characters in names', () => {
    fc.assert(
      fc.property(names, names, (name, description) => {
        const text = explain(toolNamed(name, description), { format: 'text' }).replaceAll('\n', '');
        expect(text).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
      }),
    );
    expect(explain(toolNamed('a\u001b[31m\u202eb\nc', 'd\r\ne'), { format: 'text' })).toContain(
      'a�[31m�b c\nd e\n',
    );
  });
});

describe('the format mermaid', () => {
  it('draws a flowchart', () => {
    expect(explain(transfer, { format: 'mermaid' })).toBe(
      `
flowchart LR
  subgraph arguments["filled by the model"]
    a0["account: string"]:::argument
    a1["cents: integer"]:::argument
    a2["currency?: #quot;EUR#quot; | #quot;USD#quot; | #quot;CHF#quot;"]:::argument
    a3["note?: string"]:::argument
  end
  subgraph guards["guards, which run first"]
    r0["caller<br>computed"]:::computes
    r1{{"may_transfer<br>asks with a form"}}:::asks
  end
  r2["rate<br>computed<br>pinned"]:::computes
  r3["db<br>computed<br>disposed"]:::computes
  r4["account<br>computed"]:::computes
  r5["purpose<br>asks with a form: purpose, urgent"]:::asks
  r6["risk<br>asks the model"]:::asks
  r7["approval<br>asks with a form: approve, comment"]:::asks
  r8["signedIn<br>asks with a link"]:::asks
  r9["folders<br>asks for the roots"]:::asks
  body(["tool transfer_money<br>once"]):::body
  r0 -->|"who"| r1
  a0 -->|"account"| r1
  a2 -->|"currency"| r2
  a0 -->|"id"| r4
  r3 -->|"db"| r4
  r4 -->|"account"| r5
  r5 -->|"purpose"| r6
  r4 -->|"account"| r6
  a1 -->|"cents"| r7
  r2 -->|"rate"| r7
  r6 -.->|"risk, outcome"| r7
  r4 -->|"account"| r8
  r7 -.->|"approval, outcome"| body
  r8 -->|"signedIn"| body
  r4 -->|"from"| body
  r9 -->|"folders"| body
  guards ==> body
  classDef argument fill:#e2e8f0,stroke:#64748b,color:#0f172a
  classDef computes fill:#f8fafc,stroke:#64748b,color:#0f172a
  classDef asks fill:#fef3c7,stroke:#d97706,color:#451a03
  classDef guard fill:#d1fae5,stroke:#059669,color:#022c22
  classDef body fill:#e0e7ff,stroke:#4f46e5,color:#1e1b4b
`.trim(),
    );
  });

  it('connects arguments directly to a body without resolvers', () => {
    const inputSchema = z.object({ text: z.string() });
    const lines = explain(
      defineTool('echo', { inputSchema }, ({ text }) => text),
      { format: 'mermaid' },
    );
    expect(lines.split('\n').slice(1, 6)).toEqual([
      '  subgraph arguments["filled by the model"]',
      '    a0["text: string"]:::argument',
      '  end',
      '  body(["tool echo"]):::body',
      '  arguments --> body',
    ]);
  });

  it('escapes every name', () => {
    expect(explain(unwieldy, { format: 'mermaid' })).toContain(
      '  r1["#lt;#amp;#quot;\'#gt;]]#gt;#96;#35;quot;<br>computed"]:::computes\n',
    );
    fc.assert(
      fc.property(names, names, (name, description) => {
        for (const line of explain(toolNamed(name, description), { format: 'mermaid' }).split(
          '\n',
        )) {
          // Only labels contain names.
          expect(line.replace(/"[^"]*"/g, '')).toMatch(/^[\w\s{}()[\]|:>.,#=-]*$/);
          const labels = (line.match(/"[^"]*"/g) ?? []).join('').replaceAll('<br>', '');
          expect(labels).not.toMatch(/[<>`\\&]|#(?!\w+;)/);
        }
      }),
    );
  });
});
