/**
 * The contract of a codec: what seals and opens tokens, whatever it is made of. Each implementation
 * runs the whole of it.
 */
import { InvalidRequestStateError } from 'mcp-resolve';
import type { RequestStateCodec } from 'mcp-resolve';
import { describe, expect, test } from 'vitest';

/** An implementation under test. */
export interface CodecUnderTest {
  /** Makes the codec that all tests of this run share. */
  readonly make: () => RequestStateCodec;
  /** Makes a codec of the same kind that has another secret. */
  readonly makeForeign: () => RequestStateCodec;
}

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The reason for which a codec refuses a token; fails if it opens it. */
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

/** Runs the contract over an implementation. */
export function codecContract(name: string, { make, makeForeign }: CodecUnderTest): void {
  describe(`the codec contract, ${name}`, () => {
    test.each([
      ['nothing', new Uint8Array(0)],
      ['one zero', Uint8Array.of(0)],
      ['ASCII', bytesOf('awaiting-confirm')],
      ['several bytes a character', bytesOf('déjà vu 😀')],
      ['every byte value', Uint8Array.from({ length: 256 }, (_, index) => index)],
      ['64 KiB', new Uint8Array(65_536).fill(0xa5)],
    ])('I20: a payload of %s round-trips', async (_, payload) => {
      const codec = make();
      const token = await codec.seal(payload);
      expect(typeof token).toBe('string');
      expect(Buffer.from(await codec.unseal(token)).equals(Buffer.from(payload))).toBe(true);
    });

    test('I19: the payload shows neither in the token nor in any of its encodings', async () => {
      const payload = 'the plaintext of a state';
      const token = await make().seal(bytesOf(payload));
      const decoded = Buffer.from(token.slice(token.indexOf('.') + 1), 'base64url');
      const searched = [token, decoded.toString('latin1'), decoded.toString('hex')].join('\n');
      for (const encoding of ['utf8', 'base64url', 'base64', 'hex'] as const) {
        expect(searched).not.toContain(Buffer.from(payload).toString(encoding));
      }
    });

    test('I19: two seals of one payload differ and both open', async () => {
      const codec = make();
      const tokens = [await codec.seal(bytesOf('same')), await codec.seal(bytesOf('same'))];
      expect(tokens[0]).not.toBe(tokens[1]);
      for (const token of tokens) {
        expect(Buffer.from(await codec.unseal(token)).toString()).toBe('same');
      }
    });

    test('I21: a change of any one character of a token is refused', async () => {
      const codec = make();
      const token = await codec.seal(bytesOf('state'));
      for (let at = 0; at < token.length; at += 1) {
        const other = token[at] === 'A' ? 'B' : 'A';
        await refusalOf(codec, token.slice(0, at) + other + token.slice(at + 1));
      }
      expect(Buffer.from(await codec.unseal(token)).toString()).toBe('state');
    });

    test.each([0, 1, 2])(
      'I22: all 63 substitutions of the final character are refused (%i bytes over)',
      async (over) => {
        const codec = make();
        const token = await codec.seal(new Uint8Array(30 + over));
        const others = Array.from(BASE64URL).filter((char) => char !== token.at(-1));
        expect(others).toHaveLength(63);
        for (const char of others) await refusalOf(codec, token.slice(0, -1) + char);
      },
    );

    test.each<[string, (token: string) => string]>([
      ['one sign of padding', (token) => `${token}=`],
      ['two signs of padding', (token) => `${token}==`],
      ['a newline behind', (token) => `${token}\n`],
      ['a newline before', (token) => `\n${token}`],
      ['a space behind', (token) => `${token} `],
      ['a zero character behind', (token) => `${token}\0`],
      ['junk inside', (token) => `${token.slice(0, 9)}!${token.slice(9)}`],
      ['a newline inside', (token) => `${token.slice(0, 9)}\r\n${token.slice(9)}`],
      ['a character more', (token) => `${token}A`],
      ['a character less', (token) => token.slice(0, -1)],
      ['half of it', (token) => token.slice(0, token.length / 2)],
      ['capitals', (token) => token.toUpperCase()],
      ['its prefix stripped', (token) => token.slice(token.indexOf('.') + 1)],
      ['its prefix twice', (token) => token.slice(0, token.indexOf('.') + 1) + token],
      ['itself twice', (token) => token + token],
      ['nothing left', () => ''],
      ['a plaintext instead', () => 'awaiting-confirm'],
    ])('I22, I29: a token with %s is refused', async (_, mangle) => {
      const codec = make();
      const token = await codec.seal(bytesOf('state'));
      await refusalOf(codec, mangle(token));
      expect(Buffer.from(await codec.unseal(token)).toString()).toBe('state');
    });

    test('I24: what another secret has sealed is refused', async () => {
      const token = await makeForeign().seal(bytesOf('state'));
      await refusalOf(make(), token);
    });

    test('I9: a refusal says nothing of token or payload, in at most 40 characters', async () => {
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
