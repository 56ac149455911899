/**
 * The contract of a codec, which seals and opens tokens. Each implementation runs all tests of the
 * contract.
 */
import { InvalidRequestStateError } from 'mcp-resolve';
import type { RequestStateCodec } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';

/** An implementation under test. */
export interface CodecUnderTest {
  /** Creates the codec. Every codec it creates has the same secret. */
  readonly make: () => RequestStateCodec;
  /** Creates a codec of the same kind with another secret. */
  readonly makeForeign: () => RequestStateCodec;
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Returns the reason why a codec refuses a token. Fails if the codec opens it. */
export async function refusalOf(codec: RequestStateCodec, token: string): Promise<string> {
  const thrown: unknown = await (async () => codec.unseal(token))().then(
    () => {
      throw new Error(`expected a refusal of ${JSON.stringify(token)}`);
    },
    (error: unknown) => error,
  );
  if (!(thrown instanceof InvalidRequestStateError)) throw thrown as Error;
  return thrown.message;
}

/** Runs the contract on an implementation. */
export function codecContract(name: string, { make, makeForeign }: CodecUnderTest): void {
  describe(name, () => {
    test.each([
      ['zero bytes', new Uint8Array(0)],
      ['one zero byte', Uint8Array.of(0)],
      ['ASCII', bytesOf('awaiting-confirm')],
      ['characters of several bytes', bytesOf('déjà vu 😀')],
      ['every byte value', Uint8Array.from({ length: 256 }, (_, index) => index)],
      ['64 KiB', new Uint8Array(65_536).fill(0xa5)],
    ])('I20: returns a payload of %s unchanged', async (_, payload) => {
      const codec = make();
      const token = await codec.seal(payload);
      expect(typeof token).toBe('string');
      expect(Buffer.from(await codec.unseal(token)).equals(Buffer.from(payload))).toBe(true);
    });

    test('I19: hides the payload in the token and in every encoding of it', async () => {
      const payload = 'the plaintext of a state';
      const token = await make().seal(bytesOf(payload));
      const decoded = Buffer.from(token.slice(token.indexOf('.') + 1), 'base64url');
      const searched = [token, decoded.toString('latin1'), decoded.toString('hex')].join('\n');
      for (const encoding of ['utf8', 'base64url', 'base64', 'hex'] as const) {
        expect(searched).not.toContain(Buffer.from(payload).toString(encoding));
      }
    });

    test('I19: seals one payload to two different tokens that both open', async () => {
      const codec = make();
      const tokens = [await codec.seal(bytesOf('same')), await codec.seal(bytesOf('same'))];
      expect(tokens[0]).not.toBe(tokens[1]);
      for (const token of tokens) {
        expect(Buffer.from(await codec.unseal(token)).toString()).toBe('same');
      }
    });

    test('I21: refuses a token with any one character changed', async () => {
      const codec = make();
      const token = await codec.seal(bytesOf('state'));
      for (let at = 0; at < token.length; at += 1) {
        const other = token[at] === 'A' ? 'B' : 'A';
        await refusalOf(codec, token.slice(0, at) + other + token.slice(at + 1));
      }
      expect(Buffer.from(await codec.unseal(token)).toString()).toBe('state');
    });

    test.each([0, 1, 2])(
      'I22: refuses all 63 other final characters (%i bytes beyond a multiple of three)',
      async (over) => {
        const codec = make();
        const token = await codec.seal(new Uint8Array(30 + over));
        const others = Array.from(BASE64URL).filter((char) => char !== token.at(-1));
        expect(others).toHaveLength(63);
        for (const char of others) await refusalOf(codec, token.slice(0, -1) + char);
      },
    );

    test.each<[string, (token: string) => string]>([
      ['one padding character', (token) => `${token}=`],
      ['two padding characters', (token) => `${token}==`],
      ['a newline at the end', (token) => `${token}\n`],
      ['a newline at the start', (token) => `\n${token}`],
      ['a space at the end', (token) => `${token} `],
      ['a zero character at the end', (token) => `${token}\0`],
      ['an exclamation mark inside', (token) => `${token.slice(0, 9)}!${token.slice(9)}`],
      ['a newline inside', (token) => `${token.slice(0, 9)}\r\n${token.slice(9)}`],
      ['one more character', (token) => `${token}A`],
      ['one character missing', (token) => token.slice(0, -1)],
      ['its second half missing', (token) => token.slice(0, token.length / 2)],
      ['only capitals', (token) => token.toUpperCase()],
      ['its prefix missing', (token) => token.slice(token.indexOf('.') + 1)],
      ['its prefix twice', (token) => token.slice(0, token.indexOf('.') + 1) + token],
      ['a copy of itself at the end', (token) => token + token],
      ['no characters', () => ''],
      ['plaintext instead of ciphertext', () => 'awaiting-confirm'],
    ])('I22, I29: refuses a token with %s', async (_, mangle) => {
      const codec = make();
      const token = await codec.seal(bytesOf('state'));
      await refusalOf(codec, mangle(token));
      expect(Buffer.from(await codec.unseal(token)).toString()).toBe('state');
    });

    test('I24: refuses a token that was sealed with another secret', async () => {
      const token = await makeForeign().seal(bytesOf('state'));
      await refusalOf(make(), token);
    });

    test('I9: refuses with at most 40 characters that reveal neither token nor payload', async () => {
      const codec = make();
      const token = await codec.seal(bytesOf('plaintext'));
      const middle = Math.floor(token.length / 2);
      const other = token[middle] === 'A' ? 'B' : 'A';
      const reason = await refusalOf(
        codec,
        token.slice(0, middle) + other + token.slice(middle + 1),
      );
      expect(reason.length).toBeLessThanOrEqual(40);
      expect(reason).not.toContain('plaintext');
      expect(reason).not.toContain(token.slice(-12));
    });
  });
}
