/** The tools of the kit's tests: a payment that asks, and a tool with one question of each kind. */
import {
  argsOf,
  confirm,
  defineTool,
  elicit,
  elicitUrl,
  listRoots,
  resolver,
  sample,
  ToolError,
} from 'mcp-resolve';
import { accept } from 'mcp-resolve/testing';
import * as z from 'zod';

const PayInput = z.object({ invoice: z.string() });
const args = argsOf(PayInput);

const INVOICES = new Map([
  ['INV-1', 40],
  ['INV-2', 900],
  ['INV-3', 700],
]);

export const amountDue = resolver({ id: args.invoice }, ({ id }) => {
  const euros = INVOICES.get(id);
  if (euros === undefined) throw new ToolError(`unknown invoice '${id}'`);
  return euros;
});

export const approval = resolver(
  { id: args.invoice, euros: amountDue },
  ({ id, euros }) => (euros < 100 ? true : confirm(`Pay ${euros} euros for ${id}?`)),
  { asks: 'form' },
);

export const payConfig = {
  inputSchema: PayInput,
  resolve: { euros: amountDue, approved: approval },
};

export const pay = ({ invoice, euros }: { invoice: string; euros: number }): string =>
  `Paid ${euros} euros for ${invoice}.`;

/** Asks for large amounts only. INV-1 is small. */
export const payInvoice = defineTool('pay_invoice', payConfig, pay);

export const yes = { approved: accept({ confirm: true }) };

/** Asks one question of each kind, in one round. */
export const askAll = defineTool(
  'ask_all',
  {
    resolve: {
      form: resolver({}, () => elicit('Which size?', Size), { asks: 'form' }),
      link: resolver({}, () => elicitUrl('Sign in', 'https://desk.example/sign-in'), {
        asks: 'url',
      }),
      model: resolver({}, () => sample(QUESTION), { asks: 'sample' }),
      folders: resolver({}, () => listRoots(), { asks: 'roots' }),
    },
  },
  ({ form, link, model, folders }) =>
    JSON.stringify([form.size, link, model.content, folders.roots.map(({ uri }) => uri)]),
);

const Size = z.object({ size: z.enum(['S', 'M']), note: z.string().optional() });

const QUESTION = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Which colour?' } }],
  maxTokens: 10,
};
