/**
 * Query parameters that belong to one visit only. The platform's admin adds its own ones again to
 * every page, and a sign-in token is used only once.
 */
const ofOneVisit = ['embedded', 'shop', 'host', 'timestamp', 'hmac', 'id_token', 'signed_in']

/**
 * The path and query of the app's page for the address bar of the platform's admin. It opens the
 * same page later, also for a colleague.
 */
export function pathInAdmin({ pathname, search }: { pathname: string; search: string }): string {
  const kept = search
    .slice(1)
    .split('&')
    .filter(part => part && !ofOneVisit.includes(part.split('=', 1)[0]!))
  return pathname + (kept.length > 0 ? `?${kept.join('&')}` : '')
}

/**
 * The full address of a page in the platform's admin. `app`: where the admin shows the app, which
 * is also the address of the app's first page.
 */
export const addressInAdmin = (app: string, path: string): string =>
  app + (/^\/(?=$|\?)/.test(path) ? path.slice(1) : path)
