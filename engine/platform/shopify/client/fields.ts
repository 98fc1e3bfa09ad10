import { partsOf } from './lists.ts'
import { accepted } from './problems.ts'
import type { ShopifyClient } from './shopify-client.ts'
import { deleteFields, installationFields, setFields } from '../documents/fields.ts'

/** Fields that one operation may set. It sets all of them or none. */
const fieldsAtOnce = 25

export type Field = { ownerId: string; namespace: string; key: string; value: string }
export type FieldName = Omit<Field, 'value'>

/**
 * Fields of JSON that the app keeps at Shopify. `set` is whole up to 25 fields; more than that is
 * written in parts, and `undo` gets those that were written when a later part is refused.
 */
export function shopifyFields({ ask }: Pick<ShopifyClient, 'ask'>) {
  const set = async (
    shop: string,
    fields: readonly Field[],
    undo: (written: readonly Field[]) => Promise<void> = () => Promise.resolve(),
  ): Promise<void> => {
    const written: Field[] = []
    for (const part of partsOf(fields, fieldsAtOnce))
      try {
        const { metafieldsSet } = await ask(
          shop,
          setFields,
          { fields: part.map(field => ({ ...field, type: 'json' })) },
          { mayRepeat: true },
        )
        accepted(metafieldsSet)
        written.push(...part)
      } catch (error) {
        if (written.length > 0) await undo(written)
        throw error
      }
  }
  const remove = async (shop: string, fields: readonly FieldName[]): Promise<void> => {
    for (const part of partsOf(fields, fieldsAtOnce)) {
      const { metafieldsDelete } = await ask(
        shop,
        deleteFields,
        { fields: part.map(({ ownerId, namespace, key }) => ({ ownerId, namespace, key })) },
        { mayRepeat: true },
      )
      accepted(metafieldsDelete)
    }
  }
  /** The fields of our own installation, and who owns them. */
  const ofInstallation = async (shop: string, namespace: string) => {
    const { currentAppInstallation } = await ask(shop, installationFields, { namespace })
    const held = new Map(
      currentAppInstallation.metafields.nodes.map(({ key, value }) => [key, value]),
    )
    return { ownerId: currentAppInstallation.id, held }
  }
  return { set, remove, ofInstallation }
}
export type ShopifyFields = ReturnType<typeof shopifyFields>
