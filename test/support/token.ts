/**
 * Opens and seals tokens as docs/state-format.md describes them, without any code of the library.
 * Tests use it to read a state, to forge one, and to check the library against that page.
 */
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';

const PREFIX = 'v1.';
const TAG_BYTES = 16;

/** A key of the built-in codec. */
export class TokenKey {
  private readonly key: Buffer;
  private readonly id: Buffer;

  constructor(secret: string) {
    const info = 'mcp/request-state/v1/aes-256-gcm';
    this.key = Buffer.from(hkdfSync('sha256', secret, '', info, 32));
    const hash = createHash('sha256').update('mcp/request-state/v1/kid:').update(this.key);
    this.id = hash.digest().subarray(0, 4);
  }

  seal(plaintext: Uint8Array | string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.key, nonce).setAAD(this.associated);
    const text = Buffer.concat([cipher.update(plaintext), cipher.final()]);
    const bytes = Buffer.concat([this.id, nonce, text, cipher.getAuthTag()]);
    return PREFIX + bytes.toString('base64url');
  }

  open(token: string): string {
    const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url');
    const decipher = createDecipheriv('aes-256-gcm', this.key, bytes.subarray(4, 16));
    decipher.setAAD(this.associated).setAuthTag(bytes.subarray(-TAG_BYTES));
    const text = decipher.update(bytes.subarray(16, -TAG_BYTES));
    return Buffer.concat([text, decipher.final()]).toString();
  }

  private get associated(): Buffer {
    return Buffer.concat([Buffer.from(PREFIX), this.id]);
  }
}
