import { createHash } from 'node:crypto'
import { inTransaction, type Database } from '../../database.ts'
import { shopifyShop } from '../shop-names.ts'

/** `owner`: the platform's name of what it belongs to. Instants are ISO text. */
export type Metafield = {
  id: number
  owner: string
  namespace: string
  key: string
  type: string
  value: string
  createdAt: string
  updatedAt: string
}
export type MetafieldKey = { owner: string; namespace: string; key: string }
export type MetafieldInput = MetafieldKey & {
  type: string | null
  value: string
  /** What the value's digest must be for the write to happen; null: there must be none. */
  digest?: string | null
}
export type MetafieldProblem = { at: number; field: string; code: string; message: string }
export type Metafields = {
  of: (owner: string) => Metafield[]
  find: (key: MetafieldKey) => Metafield | null
  /** Writes all or none; a problem for each that cannot be written. */
  set: (inputs: readonly MetafieldInput[]) => Metafield[] | { problems: MetafieldProblem[] }
  /** Returns those that were there. */
  remove: (keys: readonly MetafieldKey[]) => MetafieldKey[]
  /** Deletes what the app keeps with its own installation, as an uninstall does. */
  removeOf: (owner: string) => void
}

/** Bytes of a value: the platform's limit for JSON since 2026-04. */
export const metafieldLimit = 128 * 1024
export const atOnce = 25
const types =
  /^(json|single_line_text_field|multi_line_text_field|number_integer|number_decimal|boolean|url|id|date_time)$/

/** "$app" and "$app:more" mean the app's own namespace. */
export const fullNamespace = (given: string | null | undefined): string => {
  const own = `app--${shopifyShop.appId}`
  if (given == null || given === '$app') return own
  return given.startsWith('$app:') ? `${own}--${given.slice('$app:'.length)}` : given
}
export const digestOf = (value: string): string => createHash('sha256').update(value).digest('hex')

/** `exists`: whether there is an owner of this name. */
export function openMetafields(
  db: Database,
  clock: () => Date,
  exists: (owner: string) => boolean,
): Metafields {
  db.exec(`
    create table if not exists shopify_metafields (
      id integer primary key autoincrement, owner text not null, namespace text not null, key text not null, type text not null,
      value text not null, created_at text not null, updated_at text not null, unique (owner, namespace, key)) strict`)
  const columns =
    'id, owner, namespace, key, type, value, created_at as "createdAt", updated_at as "updatedAt"'
  const of = db.prepare(`select ${columns} from shopify_metafields where owner = ? order by id`)
  const one = db.prepare(
    `select ${columns} from shopify_metafields where owner = ? and namespace = ? and key = ?`,
  )
  const write = db.prepare(`
    insert into shopify_metafields (owner, namespace, key, type, value, created_at, updated_at) values (?, ?, ?, ?, ?, ?, ?)
    on conflict (owner, namespace, key) do update set type = excluded.type, value = excluded.value, updated_at = excluded.updated_at`)
  const remove = db.prepare(
    'delete from shopify_metafields where owner = ? and namespace = ? and key = ?',
  )
  const removeOf = db.prepare('delete from shopify_metafields where owner = ?')
  const find = ({ owner, namespace, key }: MetafieldKey): Metafield | null =>
    (one.get(owner, namespace, key) as Metafield | undefined) ?? null

  const problemOf = (input: MetafieldInput, at: number): MetafieldProblem[] => {
    const problem = (field: string, code: string, message: string) => [{ at, field, code, message }]
    if (!exists(input.owner)) return problem('ownerId', 'INVALID', 'Owner does not exist.')
    if (!/^[\w-]{3,255}$/.test(input.namespace))
      return problem('namespace', 'TOO_SHORT', 'Namespace has 3 to 255 letters, digits, "-", "_".')
    if (!/^[\w-]{2,64}$/.test(input.key))
      return problem('key', 'TOO_SHORT', 'Key has 2 to 64 letters, digits, "-" and "_".')
    const known = find(input)
    const type = input.type ?? known?.type
    if (type === undefined) return problem('type', 'BLANK', "Type can't be blank")
    if (!types.test(type)) return problem('type', 'INCLUSION', 'Type is not a known type.')
    if (known && known.type !== type)
      return problem('type', 'INVALID_TYPE', `Type must be ${known.type}, as it was created.`)
    if (input.value === '') return problem('value', 'BLANK', 'Value can’t be blank.')
    if (Buffer.byteLength(input.value) > metafieldLimit)
      return problem('value', 'TOO_LONG', `Value is too long (maximum is ${metafieldLimit} bytes).`)
    if (type === 'json' && !isJson(input.value))
      return problem('value', 'INVALID_VALUE', 'Value is invalid JSON.')
    if (type === 'boolean' && !/^(true|false)$/.test(input.value))
      return problem('value', 'INVALID_VALUE', 'Value must be true or false.')
    if (type === 'number_integer' && !/^-?\d{1,18}$/.test(input.value))
      return problem('value', 'INVALID_VALUE', 'Value must be an integer.')
    if (input.digest !== undefined && input.digest !== (known ? digestOf(known.value) : null))
      return problem('compareDigest', 'STALE_OBJECT', 'The resource has been updated since.')
    return []
  }

  return {
    of: owner => of.all(owner) as Metafield[],
    find,
    set: inputs => {
      const problems = inputs.flatMap(problemOf)
      if (problems.length > 0) return { problems }
      const at = clock().toISOString()
      inTransaction(db, () => {
        for (const { owner, namespace, key, type, value } of inputs)
          write.run(
            owner,
            namespace,
            key,
            type ?? find({ owner, namespace, key })!.type,
            value,
            at,
            at,
          )
      })
      return inputs.map(input => find(input)!)
    },
    remove: keys =>
      inTransaction(db, () =>
        keys.filter(({ owner, namespace, key }) => remove.run(owner, namespace, key).changes > 0),
      ),
    removeOf: owner => void removeOf.run(owner),
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
