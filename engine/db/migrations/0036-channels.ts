import type { Migration } from '../migrate.ts'

/**
 * The channel of a visit, as found on arrival (domain/events/channel.ts). It must be stored,
 * because addresses are stored without the query it is read from.
 */
export const channelsOfEvents: Migration = {
  name: '0036-channels',
  statements: ['alter table events add column channel smallint'],
}
