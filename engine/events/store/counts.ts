import type { Touched } from '../fold/states.ts'
import { type Deltas, isChange } from '../fold/deltas.ts'
import type { Statement } from '../../db/together.ts'

const figuresOf = (deltas: { figures: number[] }[], count: number): number[][] =>
  Array.from({ length: count }, (_, i) => deltas.map(d => d.figures[i]!))

/** Adds a batch's changes to the tables test_days, test_cube and test_arms. */
export function writeDeltas(deltas: Deltas): Statement[] {
  const statements: Statement[] = []
  const days = [...deltas.days.values()].filter(isChange)
  if (days.length > 0) {
    statements.push({
      name: 'days',
      text: `
      insert into test_days as d (store_id, test_id, day, arm, dimension, value, visitors, clickers, adders, bounces, sessions)
      select * from unnest($1::uuid[], $2::uuid[], $3::date[], $4::smallint[], $5::text[], $6::text[], $7::int[], $8::int[], $9::int[], $10::int[], $11::int[])
      on conflict (store_id, test_id, day, arm, dimension, value) do update
        set visitors = d.visitors + excluded.visitors, clickers = d.clickers + excluded.clickers, adders = d.adders + excluded.adders,
          bounces = d.bounces + excluded.bounces, sessions = d.sessions + excluded.sessions`,
      values: [
        days.map(d => d.storeId),
        days.map(d => d.testId),
        days.map(d => d.day),
        days.map(d => d.arm),
        days.map(d => d.dimension),
        days.map(d => d.value),
        ...figuresOf(days, 5),
      ],
    })
  }
  const cube = [...deltas.cube.values()].filter(isChange)
  if (cube.length > 0) {
    statements.push({
      name: 'cube',
      text: `
      insert into test_cube as c (store_id, test_id, country, referrer, arm, device, channel, is_new, visitors, clickers, adders, bounces, sessions)
      select * from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::smallint[], $6::smallint[], $7::smallint[], $8::boolean[], $9::int[], $10::int[], $11::int[], $12::int[], $13::int[])
      on conflict (store_id, test_id, country, referrer, arm, device, channel, is_new) do update
        set visitors = c.visitors + excluded.visitors, clickers = c.clickers + excluded.clickers, adders = c.adders + excluded.adders,
          bounces = c.bounces + excluded.bounces, sessions = c.sessions + excluded.sessions`,
      values: [
        cube.map(d => d.storeId),
        cube.map(d => d.testId),
        cube.map(d => d.country),
        cube.map(d => d.referrer),
        cube.map(d => d.arm),
        cube.map(d => d.device),
        cube.map(d => d.channel),
        cube.map(d => d.isNew),
        ...figuresOf(cube, 5),
      ],
    })
  }
  const arms = [...deltas.arms.values()].filter(isChange)
  if (arms.length > 0) {
    statements.push({
      name: 'arms',
      text: `
      insert into test_arms as a (store_id, test_id, arm, assigned, applied, exposed, recorded, bots, both_arms, set_aside, consented, bot_visitors, bot_clickers, bot_adders, aside)
      select * from unnest($1::uuid[], $2::uuid[], $3::smallint[], $4::int[], $5::int[], $6::int[], $7::int[], $8::int[], $9::int[], $10::int[], $11::int[], $12::int[], $13::int[], $14::int[], $15::int[])
      on conflict (store_id, test_id, arm) do update set assigned = a.assigned + excluded.assigned, applied = a.applied + excluded.applied, exposed = a.exposed + excluded.exposed,
        recorded = a.recorded + excluded.recorded, bots = a.bots + excluded.bots, both_arms = a.both_arms + excluded.both_arms, set_aside = a.set_aside + excluded.set_aside,
        consented = a.consented + excluded.consented, bot_visitors = a.bot_visitors + excluded.bot_visitors, bot_clickers = a.bot_clickers + excluded.bot_clickers, bot_adders = a.bot_adders + excluded.bot_adders, aside = a.aside + excluded.aside`,
      values: [
        arms.map(d => d.storeId),
        arms.map(d => d.testId),
        arms.map(d => d.arm),
        ...figuresOf(arms, 12),
      ],
    })
  }
  return statements
}

/**
 * Tells the rollup which tests to sum up again, and which visitors' stored orders may now count
 * elsewhere in them.
 */
export function markChanged(tests: Map<string, string>, reattributed: Touched[]): Statement[] {
  for (const { store, after } of reattributed) tests.set(after.testId, store.id)
  if (tests.size === 0) return []
  return [
    {
      name: 'marked',
      text: `insert into order_marks (store_id, test_id, visitor_id)
      select * from unnest($1::uuid[], $2::uuid[], $3::text[]) k(store_id, test_id, visitor_id)
      where (select true from orders o where o.store_id = k.store_id and o.visitor_id = k.visitor_id limit 1)
      returning test_id`,
      values: [
        reattributed.map(({ store }) => store.id),
        reattributed.map(({ after }) => after.testId),
        reattributed.map(({ after }) => after.visitor),
      ],
    },
    {
      name: 'changed',
      text: `insert into test_changes as c (store_id, test_id, changed, orders_changed)
      select store_id, test_id, 1, (select count(*) from marked m where m.test_id = n.test_id) from unnest($1::uuid[], $2::uuid[]) n(store_id, test_id)
      on conflict (store_id, test_id) do update set changed = c.changed + 1, orders_changed = c.orders_changed + excluded.orders_changed`,
      values: [[...tests.values()], [...tests.keys()]],
    },
  ]
}
