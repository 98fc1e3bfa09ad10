import { readFileSync, writeFileSync } from 'node:fs'

const manifests = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ')
/** Docker's own registry. Its official images are under library/. */
const dockerHub = 'https://registry-1.docker.io'

/**
 * The digest of an image's tag at present; a digest names one content for good. Throws when the
 * registry does not answer with one.
 */
export async function digestOf(image: string, tag: string, registry = dockerHub): Promise<string> {
  const name = image.includes('/') ? image : `library/${image}`
  const ask = (headers: Record<string, string> = {}) =>
    fetch(`${registry}/v2/${name}/manifests/${tag}`, {
      method: 'HEAD',
      headers: { accept: manifests, ...headers },
      signal: AbortSignal.timeout(30_000),
    })
  let response = await ask()
  if (response.status === 401)
    response = await ask({
      authorization: `Bearer ${await tokenFor(response.headers.get('www-authenticate') ?? '')}`,
    })
  const digest = response.headers.get('docker-content-digest') ?? ''
  if (!response.ok || !/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new Error(
      `${registry} does not say which image ${image}:${tag} is (status ${response.status}).`,
    )
  return digest
}

/** Gets the token that the registry gives to anyone who asks at the address in its challenge. */
async function tokenFor(challenge: string): Promise<string> {
  const said = Object.fromEntries(
    [...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, value]) => [key!, value!]),
  )
  if (!said['realm'])
    throw new Error('The registry wants a token, but does not say where to get one.')
  const url = new URL(said['realm'])
  for (const key of ['service', 'scope']) if (said[key]) url.searchParams.set(key, said[key])
  const answer = (await (await fetch(url, { signal: AbortSignal.timeout(30_000) })).json()) as {
    token?: string
    access_token?: string
  }
  return answer.token ?? answer.access_token ?? ''
}

/**
 * Adds to each base image of a Dockerfile the digest after its tag. Stages named in the file stay
 * unchanged.
 */
export async function pinned(dockerfile: string, registry?: string): Promise<string> {
  const lines = dockerfile.split('\n'),
    known = new Map<string, Promise<string>>()
  return (
    await Promise.all(
      lines.map(async line => {
        const [, image, tag, rest = ''] =
          /^FROM ([^\s:@]+):([^\s@]+)(?:@\S+)?(.*)$/.exec(line) ?? []
        if (!image || !tag) return line
        const key = `${image}:${tag}`
        if (!known.has(key)) known.set(key, digestOf(image, tag, registry))
        return `FROM ${key}@${await known.get(key)!}${rest}`
      }),
    )
  ).join('\n')
}

// `npm run pin` runs this at a release.
if (import.meta.main) {
  const file = new URL('../Dockerfile', import.meta.url)
  const text = await pinned(readFileSync(file, 'utf8'))
  writeFileSync(file, text)
  console.log(
    text
      .split('\n')
      .filter(line => line.startsWith('FROM'))
      .join('\n'),
  )
}
