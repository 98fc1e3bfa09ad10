import { channelLabels, channelOf, referrerHost, trafficSource } from '../domain/events/channel.ts'

/** The channel of a session on a shop's host, as reports name it ("Organic search"). */
export const channelNameAt = (host: string, landing: string, referrer: string): string =>
  channelLabels[channelOf(trafficSource(landing, referrerHost(referrer, new Set([host]))))]

export const channelName = (landing: string, referrer: string): string =>
  channelNameAt(location.hostname, landing, referrer)
