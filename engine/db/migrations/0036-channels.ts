import type { Migration } from '../migrate.ts'

/** What brought a visit, as it was found on arrival (domain/events/channel.ts): the addresses it is read from are kept without their query. */
export const channelsOfEvents: Migration = {
  name: '0036-channels',
  statements: ['alter table events add column channel smallint'],
}
