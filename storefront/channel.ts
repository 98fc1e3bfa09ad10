import { channelOf, referrerHost, trafficSource } from '../domain/events/channel.ts'

/**
 * The channel of a session on a shop's host, as reports name it, with other capitals ("organic
 * Search"). Conditions do not tell capitals apart, so the script needs no list of names.
 */
export const channelNameAt = (host: string, landing: string, referrer: string): string =>
  channelOf(trafficSource(landing, referrerHost(referrer, new Set([host])))).replace(/[A-Z]/, ' $&')

export const channelName = (landing: string, referrer: string): string =>
  channelNameAt(location.hostname, landing, referrer)
