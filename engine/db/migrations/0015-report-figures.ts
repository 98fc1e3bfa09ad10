import type { Migration } from '../migrate.ts'

/**
 * More for the reports: countries, consent, page speed, and what bots did. As in 0002, tables that
 * the collector writes have no foreign keys.
 */
export const reportFigures: Migration = {
  name: '0015-report-figures',
  statements: [
    // Each is only set where the event has it: consent with exposures, the product with views and
    // carts, the browser's measurements with vitals.
    'alter table events add column consent boolean, add column product text, add column vitals json',
    // Of the first exposure, like its country. True, or null when unknown.
    'alter table test_visitors add column consented boolean',
    // Counted visitors who consented; bots that would be counted if they were visitors, and what
    // they did.
    `alter table test_arms add column consented int not null default 0, add column bot_visitors int not null default 0,
      add column bot_clickers int not null default 0, add column bot_adders int not null default 0`,
    // Country: that of the visitors where it is known, and '*' for all together. Each exists beside
    // both values of the referrer.
    `alter table test_cube add column country text not null default '*'`,
    'alter table test_cube drop constraint test_cube_pkey',
    'alter table test_cube add primary key (store_id, test_id, country, referrer, arm, device, channel, is_new)',
    // Number of tested pages by speed. `metric` and `place` are those of domain/reports/speed.ts.
    `create table test_speed (
      store_id uuid not null,
      test_id uuid not null,
      arm smallint not null,
      metric text not null,
      place smallint not null,
      pages int not null,
      primary key (store_id, test_id, arm, metric, place))`,
    // Cells by country are computed again from the events. Summaries without bots' orders are
    // computed again.
    'insert into rebuilds_due select store_id from stores s where exists (select from events e where e.store_id = s.store_id) on conflict do nothing',
    'delete from test_summaries',
  ],
}
