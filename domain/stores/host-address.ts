/** What an address says of one visit alone: the platform's admin says its part again on every page it frames, and a sign-in is over. */
const ofOneVisit = ['embedded', 'shop', 'host', 'timestamp', 'hmac', 'id_token', 'signed_in']

/** Path and query of a page of the app as they stand in the address of the platform's admin: what opens the same page another day, for a colleague too. */
export function pathInAdmin({ pathname, search }: { pathname: string; search: string }): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter(part => part && !ofOneVisit.includes(part.split('=', 1)[0]!))
  return pathname + (kept.length > 0 ? `?${kept.join('&')}` : '')
}

/** The whole address: where the admin shows the app, and the path there. The app's first page is the admin's address itself. */
export const addressInAdmin = (app: string, path: string): string =>
  app + (/^\/(?=$|\?)/.test(path) ? path.slice(1) : path)
