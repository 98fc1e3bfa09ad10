import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

// Argon2id with 19 MiB and two passes: OWASP's first recommendation. It takes about 30 ms of one
// core.
const cost = { memory: 19_456, passes: 2, parallelism: 1 }
const tagLength = 32
const derive = promisify(argon2)

/**
 * Hashes a password for storage: `$argon2id$v=19$m=…,t=…,p=…$salt$tag`. It is salted, slow and
 * needs much memory.
 */
export async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16)
  const tag = await derive('argon2id', { message: password, nonce, tagLength, ...cost })
  return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${bare(nonce)}$${bare(tag)}`
}

/**
 * Whether this is the password. Takes the same time when there is no stored hash, so that the time
 * reveals nothing.
 */
export async function isPassword(password: string, stored: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt, tag] =
    /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([^$]+)\$([^$]+)$/.exec(stored ?? '') ?? []
  const wanted = tag === undefined ? null : Buffer.from(tag, 'base64')
  const given = await derive('argon2id', {
    message: password,
    nonce: salt === undefined ? randomBytes(16) : Buffer.from(salt, 'base64'),
    tagLength: wanted?.length ?? tagLength,
    ...(wanted
      ? { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) }
      : cost),
  })
  return wanted !== null && timingSafeEqual(given, wanted)
}

const bare = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '')
