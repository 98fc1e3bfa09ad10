/**
 * Copies the client's address from the edge's header (`name`, in lower case) to `x-forwarded-for`
 * and overwrites what clients and other proxies wrote there. The server believes `x-forwarded-for`
 * only from the networks in TRUST_PROXY, so a client that sends the edge's header directly gains
 * nothing.
 */
export function readEdgeAddress(
  headers: Record<string, string | string[] | undefined>,
  name: string,
): void {
  const told = headers[name]
  if (typeof told === 'string' && isAddress(told.trim())) headers['x-forwarded-for'] = told.trim()
}

const isAddress = (text: string): boolean =>
  text.includes(':')
    ? URL.canParse(`http://[${text}]`)
    : /^[\d.]+$/.test(text) && URL.parse(`http://${text}`)?.hostname === text

/**
 * The allowed form of `CLIENT_IP_HEADER`. `addressHeaderProblem` is the error when `TRUST_PROXY` is
 * missing beside it, else null.
 */
export const addressHeaderPattern = '^[a-z][a-z0-9-]{0,60}$'
export const addressHeaderProblem = ({
  CLIENT_IP_HEADER,
  TRUST_PROXY,
}: {
  CLIENT_IP_HEADER?: string | undefined
  TRUST_PROXY?: string | undefined
}): string | null =>
  CLIENT_IP_HEADER && !TRUST_PROXY
    ? 'Configuration: CLIENT_IP_HEADER is believed only from the networks in TRUST_PROXY; set both.'
    : null

/**
 * The client behind an address: an IPv6 client can send from a whole /64, and 6to4 makes a /48 of
 * one IPv4 address. A request whose sender has gone has no address: all of these are one client.
 */
export function clientOf(address: string | undefined): string {
  const plain = (address ?? '').split('%')[0]!.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!plain.includes(':')) return plain
  const [head = '', tail] = plain.split('::'),
    groups = head.split(':').filter(Boolean)
  if (tail !== undefined) {
    const after = tail.split(':').filter(Boolean)
    while (groups.length + after.length < 8) groups.push('0')
    groups.push(...after)
  }
  const own = groups.slice(0, groups[0] === '2002' ? 3 : 4)
  return `${own.map(group => parseInt(group, 16).toString(16)).join(':')}::/${own.length * 16}`
}
