import { connection, type PageArgs } from '../api/connection.ts'
import { gid } from '../api/gid.ts'
import type { Access } from '../api/field-access.ts'
import type { Answers, FaceParts } from '../face-parts.ts'
import { digestOf, fullNamespace, type Metafield, atOnce } from './metafields.ts'

const answerOf = ({ id, owner, namespace, key, type, value, createdAt, updatedAt }: Metafield) => ({
  __typename: 'Metafield',
  id: gid('Metafield', id),
  legacyResourceId: String(id),
  namespace,
  key,
  type,
  value,
  jsonValue: type === 'json' ? (JSON.parse(value) as unknown) : value,
  compareDigest: digestOf(value),
  sizeInBytes: Buffer.byteLength(value),
  createdAt,
  updatedAt,
  ownerType: ownerTypes[owner.split('/')[3] ?? ''] ?? 'SHOP',
})
const ownerTypes: Record<string, string> = {
  AppInstallation: 'API_PERMISSION',
  Product: 'PRODUCT',
  ProductVariant: 'PRODUCTVARIANT',
  CartTransform: 'CARTTRANSFORM',
  DiscountAutomaticNode: 'DISCOUNT',
  Shop: 'SHOP',
}

/** The fields of an owner that name its metafields. */
export const metafieldAnswers = ({ metafields }: Pick<FaceParts, 'metafields'>, owner: string) => ({
  metafield: ({ namespace, key }: { namespace?: string | null; key: string }) => {
    const found = metafields.find({ owner, namespace: fullNamespace(namespace), key })
    return found && answerOf(found)
  },
  metafields: ({
    namespace,
    keys,
    ...page
  }: PageArgs & { namespace?: string | null; keys?: string[] | null }) =>
    connection(
      metafields
        .of(owner)
        .filter(
          one =>
            (namespace == null || one.namespace === fullNamespace(namespace)) &&
            (keys == null || keys.includes(`${one.namespace}.${one.key}`)),
        ),
      page,
      ({ id }) => String(id),
      answerOf,
    ),
})

/** What one needs to change an owner, and its fields with it. */
const ownerScopes: Record<string, string> = {
  Product: 'write_products',
  ProductVariant: 'write_products',
  Collection: 'write_products',
  Page: 'write_content',
  Blog: 'write_content',
  Article: 'write_content',
  Market: 'write_markets',
  CartTransform: 'write_cart_transforms',
  DiscountAutomaticNode: 'write_discounts',
}
const mayWrite = (owner: string, { has }: Access): boolean => {
  const scope = ownerScopes[owner.split('/')[3] ?? '']
  return scope === undefined || has(scope)
}

type Input = {
  ownerId: string
  namespace?: string | null
  key: string
  type?: string | null
  value: string
  compareDigest?: string | null
}

/** Metafields as a whole: written, and deleted. */
export function metafieldMutations({ metafields }: FaceParts): Answers {
  const tooMany = [
    {
      field: ['metafields'],
      code: 'LESS_THAN_OR_EQUAL_TO',
      message: `Exceeded the maximum metafields input limit of ${atOnce}.`,
      elementIndex: null,
    },
  ]
  return {
    mutation: {
      metafieldsSet: (
        { metafields: inputs }: { metafields: Input[] },
        { access }: { access: Access },
      ) => {
        if (inputs.length > atOnce) return { metafields: [], userErrors: tooMany }
        const denied = inputs.findIndex(({ ownerId }) => !mayWrite(ownerId, access))
        if (denied >= 0)
          return {
            metafields: [],
            userErrors: [
              {
                field: ['metafields', String(denied), 'ownerId'],
                code: 'APP_NOT_AUTHORIZED',
                message: 'Access to this namespace and key on this resource type is not allowed.',
                elementIndex: null,
              },
            ],
          }
        const written = metafields.set(
          inputs.map(({ ownerId, namespace, key, type, value, compareDigest }) => ({
            owner: ownerId,
            namespace: fullNamespace(namespace),
            key,
            type: type ?? null,
            value,
            ...(compareDigest !== undefined && { digest: compareDigest }),
          })),
        )
        return 'problems' in written
          ? {
              metafields: [],
              userErrors: written.problems.map(({ at, field, code, message }) => ({
                field: ['metafields', String(at), field],
                code,
                message,
                elementIndex: null,
              })),
            }
          : { metafields: written.map(answerOf), userErrors: [] }
      },
      metafieldsDelete: ({
        metafields: keys,
      }: {
        metafields: { ownerId: string; namespace?: string | null; key: string }[]
      }) => {
        const asked = keys.map(({ ownerId, namespace, key }) => ({
          owner: ownerId,
          namespace: fullNamespace(namespace),
          key,
        }))
        const removed = new Set(metafields.remove(asked))
        return {
          deletedMetafields: asked.map(each =>
            removed.has(each)
              ? { ownerId: each.owner, namespace: each.namespace, key: each.key }
              : null,
          ),
          userErrors: [],
        }
      },
    },
  }
}
