import { HttpProblem } from '../../domain/problem.ts'
import type { Database } from '../database.ts'
import { sentTopics } from './webhook-topics.ts'

/**
 * Where deliveries of a topic go. `id` is null for one that the app's own configuration declares:
 * no call can change it, and it is never deleted.
 */
export type Subscription = {
  id: number | null
  topic: string
  /** Absolute, or a path below the app's address. */
  uri: string
  /** Only these fields of the payload are sent; all when it is empty. */
  includeFields: string[]
  createdAt: string
  updatedAt: string
}
export type Declared = Pick<Subscription, 'topic' | 'uri'>
export type Subscriptions = {
  /** Those that calls have made, in the order in which they were made. */
  made: () => (Subscription & { id: number })[]
  /** Everything that wants this topic. */
  of: (topic: string) => Subscription[]
  /** Throws HttpProblem 422 for an unknown topic, no address, or the same address again. */
  create: (given: Declared & { includeFields?: string[] }) => Subscription & { id: number }
  /** Throws HttpProblem 404 and 422. */
  update: (
    id: number,
    given: Partial<Pick<Subscription, 'uri' | 'includeFields'>>,
  ) => Subscription & { id: number }
  /** Throws HttpProblem 404. */
  remove: (id: number) => void
  removeAll: () => void
  /** Counts failures in a row. Deletes the subscription at the eighth; a success begins anew. */
  note: (id: number, isTaken: boolean) => void
}

/** A subscription made by a call is deleted after so many failed deliveries in a row. */
export const maxFailures = 8

export function openSubscriptions(
  db: Database,
  clock: () => Date,
  declared: readonly Declared[],
): Subscriptions {
  db.exec(`create table if not exists shopify_webhook_subscriptions (
    id integer primary key autoincrement, topic text not null, uri text not null, fields text not null,
    created_at text not null, updated_at text not null, failures integer not null default 0, unique (topic, uri)) strict`)
  const read = db.prepare('select * from shopify_webhook_subscriptions order by id')
  const insert = db.prepare(
    'insert into shopify_webhook_subscriptions (topic, uri, fields, created_at, updated_at) values (?, ?, ?, ?, ?)',
  )
  const write = db.prepare(
    'update shopify_webhook_subscriptions set uri = ?, fields = ?, updated_at = ? where id = ?',
  )
  const remove = db.prepare('delete from shopify_webhook_subscriptions where id = ?')
  const succeed = db.prepare('update shopify_webhook_subscriptions set failures = 0 where id = ?')
  const fail = db.prepare(
    'update shopify_webhook_subscriptions set failures = failures + 1 where id = ?',
  )
  const clear = db.prepare('delete from shopify_webhook_subscriptions where failures >= ?')
  type Row = {
    id: number
    topic: string
    uri: string
    fields: string
    created_at: string
    updated_at: string
  }
  const made = () =>
    (read.all() as Row[]).map(({ id, topic, uri, fields, created_at, updated_at }) => ({
      id,
      topic,
      uri,
      includeFields: JSON.parse(fields) as string[],
      createdAt: created_at,
      updatedAt: updated_at,
    }))
  const own = declared.map((each): Subscription => ({
    ...each,
    id: null,
    includeFields: [],
    createdAt: '',
    updatedAt: '',
  }))
  const byId = (id: number) => {
    const found = made().find(each => each.id === id)
    if (!found) throw new HttpProblem(404, 'There is no such webhook subscription.')
    return found
  }
  const checkUri = (topic: string, uri: string, except?: number): void => {
    if (!/^(https?:\/\/|\/)\S+$/.test(uri)) throw wrong('uri', 'Address is invalid')
    if (made().some(each => each.topic === topic && each.uri === uri && each.id !== except))
      throw wrong('uri', 'Address for this topic has already been taken')
  }
  return {
    made,
    of: topic => [...own, ...made()].filter(each => each.topic === topic),
    create: ({ topic, uri, includeFields = [] }) => {
      if (!sentTopics.has(topic)) throw wrong('topic', 'Invalid topic specified')
      checkUri(topic, uri)
      const at = clock().toISOString()
      const { lastInsertRowid } = insert.run(topic, uri, JSON.stringify(includeFields), at, at)
      return byId(Number(lastInsertRowid))
    },
    update: (id, given) => {
      const { topic, uri, includeFields } = { ...byId(id), ...given }
      checkUri(topic, uri, id)
      write.run(uri, JSON.stringify(includeFields), clock().toISOString(), id)
      return byId(id)
    },
    remove: id => void remove.run(byId(id).id),
    removeAll: () => db.exec('delete from shopify_webhook_subscriptions'),
    note: (id, isTaken) => {
      ;(isTaken ? succeed : fail).run(id)
      if (!isTaken) clear.run(maxFailures)
    },
  }
}

const wrong = (field: string, message: string) =>
  new HttpProblem(422, message, [{ field, message }])
