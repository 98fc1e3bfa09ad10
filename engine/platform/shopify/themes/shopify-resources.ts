import { HttpProblem } from '../../../../domain/problem.ts'
import type { AssignedType } from '../../../../domain/themes/template.ts'
import { PartialWrite } from '../../partial-write.ts'
import type { PlatformThemes, ShopResource } from '../../themes.ts'
import { eachOf, wholeList } from '../client/lists.ts'
import { accepted } from '../client/problems.ts'
import type { ShopifyClient } from '../client/shopify-client.ts'
import * as documents from '../documents/resources.ts'
import { productCount } from '../documents/products.ts'
import { gid, idOf } from '../client/shopify-ids.ts'
import { compared, type Indexed, resourceIndex } from './resource-index.ts'

const typeNames = {
  product: 'Product',
  collection: 'Collection',
  page: 'Page',
  blog: 'Blog',
  article: 'Article',
} as const satisfies Record<AssignedType, string>
const typeOf = new Map<string, AssignedType>(
  Object.entries(typeNames).map(([type, name]) => [name, type as AssignedType]),
)
const folders = { product: 'products', collection: 'collections', page: 'pages', blog: 'blogs' }

/** Assignments that are made at the same time: each is an operation of its own. */
const atOnce = 4
/** Resources on one page of the API's lists, and on one page of ours. */
const listSize = 250
/** How many titles a template's use names. */
const titlesShown = 5

type Node = {
  id: string
  handle: string
  title: string
  templateSuffix: string | null
  blog?: { handle: string }
}

/** What is assigned to which template in a Shopify shop. */
export function shopifyResources({
  ask,
}: ShopifyClient): Pick<PlatformThemes, 'resourcePage' | 'templateUses' | 'assignTemplates'> {
  const index = resourceIndex(
    (shop, type, since) =>
      wholeList(after =>
        listed(shop, type, {
          first: listSize,
          after,
          query: since === null ? null : `updated_at:>='${since}'`,
        }),
      ).then(nodes =>
        nodes.map(node => ({ ...resourceOf(type, node), updatedAt: node.updatedAt ?? '' })),
      ),
    // Products are the ones of which a shop may have too many to read again each time.
    async (shop, type) =>
      type === 'product'
        ? ((await ask(shop, productCount, { query: null })).productsCount?.count ?? null)
        : null,
  )

  async function listed(
    shop: string,
    type: AssignedType,
    asked: { first: number; after: string | null; query: string | null },
  ) {
    switch (type) {
      case 'product':
        return (await ask(shop, documents.productResources, asked)).products
      case 'collection':
        return (await ask(shop, documents.collectionResources, asked)).collections
      case 'page':
        return (await ask(shop, documents.pageResources, asked)).pages
      case 'blog':
        return (await ask(shop, documents.blogResources, asked)).blogs
      case 'article':
        return (await ask(shop, documents.articleResources, asked)).articles
    }
  }

  async function byId(shop: string, type: AssignedType, ids: readonly string[]) {
    const { nodes } = await ask(shop, documents.resourcesById, {
      ids: ids.map(id => gid(typeNames[type], id)),
    })
    return nodes.flatMap(node =>
      node && 'handle' in node && typeOf.get(node.__typename) === type
        ? [resourceOf(type, node)]
        : [],
    )
  }

  async function assign(
    shop: string,
    { type, id: own, suffix }: { type: AssignedType; id: string; suffix: string },
  ): Promise<void> {
    const asked = { id: gid(typeNames[type], own), suffix },
      repeated = { mayRepeat: true }
    switch (type) {
      case 'product':
        accepted((await ask(shop, documents.assignProduct, asked, repeated)).productUpdate)
        break
      case 'collection':
        accepted((await ask(shop, documents.assignCollection, asked, repeated)).collectionUpdate)
        break
      case 'page':
        accepted((await ask(shop, documents.assignPage, asked, repeated)).pageUpdate)
        break
      case 'blog':
        accepted((await ask(shop, documents.assignBlog, asked, repeated)).blogUpdate)
        break
      case 'article':
        accepted((await ask(shop, documents.assignArticle, asked, repeated)).articleUpdate)
    }
    index.assigned(shop, type, own, suffix)
  }

  return {
    resourcePage: async (
      shop,
      type,
      { ids, paths, suffix, query, cursor, pageSize = listSize },
    ) => {
      // What is named is read from the shop itself: the index may be some seconds old.
      const all: ShopResource[] = ids
        ? await byId(shop, type, ids)
        : (await index.all(shop, type)).map(plain)
      const wanted = query?.toLowerCase()
      const matching = all
        .filter(
          one =>
            (!paths || paths.includes(one.path)) &&
            (suffix === undefined || one.suffix === suffix) &&
            (!wanted ||
              one.title.toLowerCase().includes(wanted) ||
              one.handle.toLowerCase().includes(wanted)),
        )
        .sort((a, b) => compared(a.id, b.id))
      const rest = cursor ? matching.filter(({ id }) => compared(id, cursor) > 0) : matching
      const items = rest.slice(0, pageSize)
      return {
        items,
        endCursor: items.at(-1)?.id ?? null,
        hasNext: rest.length > items.length,
        total: matching.length,
      }
    },
    templateUses: async (shop, type) => {
      const uses = new Map<string, { suffix: string; count: number; titles: string[] }>()
      for (const { suffix, title } of await index.all(shop, type)) {
        const use = uses.get(suffix) ?? { suffix, count: 0, titles: [] }
        use.count++
        if (use.titles.length < titlesShown) use.titles.push(title)
        uses.set(suffix, use)
      }
      return [...uses.values()].sort((a, b) => compared(a.suffix, b.suffix))
    },
    assignTemplates: async (shop, changes) => {
      const results = await eachOf(changes, atOnce, async change => {
        try {
          await assign(shop, change)
          return { change, error: null }
        } catch (error) {
          return { change, error }
        }
      })
      const failed = results.filter(({ error }) => error !== null)
      if (failed.length === 0) return
      // Not the thing but the shop refuses, or nothing was done: then its own words say it best.
      const other = failed.find(({ error }) => !(error instanceof HttpProblem))
      if (other) throw other.error
      if (failed.length === results.length) throw failed[0]!.error
      throw new PartialWrite(
        results.filter(({ error }) => error === null).map(({ change }) => change.id),
        failed.map(({ change, error }) => ({
          item: change.id,
          message: (error as HttpProblem).message,
        })),
      )
    },
  }
}

const resourceOf = (type: AssignedType, node: Node): ShopResource => ({
  type,
  id: idOf(node.id),
  handle: node.handle,
  title: node.title,
  path:
    type === 'article'
      ? `/blogs/${node.blog?.handle ?? ''}/${node.handle}`
      : `/${folders[type]}/${node.handle}`,
  suffix: node.templateSuffix ?? '',
})

const plain = ({ updatedAt: _, ...resource }: Indexed): ShopResource => resource
