import { isIPv4 } from 'node:net'
import { UAParser } from 'ua-parser-js'
import { networkOf } from '../../events/networks/networks.ts'

/**
 * Where a session began, as far as we store it: the browser in words, and the network but not the
 * IP address.
 */
export type StaffPlace = { browser: string; network: string }

export function placeOf(address: string, userAgent = ''): StaffPlace {
  const { browser, os } = new UAParser(userAgent).getResult()
  const name = [browser.name, browser.major].filter(Boolean).join(' ')
  const network = networkOf(address)
  return {
    browser: [name, os.name].filter(Boolean).join(' on '),
    network: network === null ? '' : isIPv4(`${network}.0`) ? `${network}.0/24` : `${network}::/48`,
  }
}
