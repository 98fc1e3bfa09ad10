/**
 * Puts what the edge says of a client's address (`name`: its header, in lower case) where proxies say it, in place of all
 * that clients and other proxies wrote there. The server believes that header from the networks that it trusts and from
 * nobody else, so this changes nothing for a client that is not behind the edge.
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

/** What `CLIENT_IP_HEADER` may be, and why it may not stand alone; null when it may. */
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
