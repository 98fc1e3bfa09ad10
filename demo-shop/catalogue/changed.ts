import { highestPrice } from '../../domain/prices/price-rule.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { inTransaction, type Database } from '../database.ts'
import { productJson, type CatalogueProduct, type ProductStatus } from './products-json.ts'
import type { Outbox } from '../apps/webhooks.ts'
import { collections, everything, products as first, type Collection } from './collections.ts'
import { findPages, search, shopPages, type ShopPage } from './search.ts'
import { priced, type Product } from './product.ts'

/**
 * The shop's products as they are now: what the catalogue's files say, and what was changed since.
 */
export type Catalogue = {
  /** Products that shoppers can buy. */
  onSale: () => Product[]
  /** Collections with only these products. The collection of all products comes first. */
  collections: () => Collection[]
  findProduct: (handle: string) => Product | undefined
  findVariant: FindVariant
  /** Pages that a shopper can land on. */
  pages: (text?: string) => ShopPage[]
  search: (terms: string) => ReturnType<typeof search>
  /** For the back office: all products that are not deleted. */
  all: () => CatalogueProduct[]
  byId: (id: string) => CatalogueProduct | undefined
  deleted: () => CatalogueProduct[]
  /** Sets all of these prices or none. Throws HttpProblem 404 and 422. */
  setPrices: (id: string, prices: { variantId: string; price: number }[]) => CatalogueProduct
  setStatus: (id: string, status: ProductStatus) => CatalogueProduct
  remove: (id: string) => void
  restore: (id: string) => void
}
export type FindVariant = (
  id: number,
) => { product: Product; variant: Product['variants'][number] } | undefined

type State = { product_id: number; status: ProductStatus; is_deleted: number; updated_at: string }
type Price = { variant_id: number; price: number; updated_at: string }
/**
 * The products of the catalogue's files, with the changes that the database holds. Prices are in
 * minor units.
 */

export function openCatalogue(
  db: Database,
  outbox: Outbox,
  origin: string,
  clock: () => Date,
  more: readonly Product[] = [],
): Catalogue {
  db.exec(`
    create table if not exists product_states (product_id integer primary key, status text not null, is_deleted integer not null, updated_at text not null) strict;
    create table if not exists variant_prices (variant_id integer primary key, price integer not null, updated_at text not null) strict`)
  const states = db.prepare('select * from product_states')
  const prices = db.prepare('select * from variant_prices')
  const writeState =
    db.prepare(`insert into product_states (product_id, status, is_deleted, updated_at) values (?, ?, ?, ?)
    on conflict (product_id) do update set status = excluded.status, is_deleted = excluded.is_deleted, updated_at = excluded.updated_at`)
  const writePrice =
    db.prepare(`insert into variant_prices (variant_id, price, updated_at) values (?, ?, ?)
    on conflict (variant_id) do update set price = excluded.price, updated_at = excluded.updated_at`)

  const sold = [...first, ...more]
  const read = () => {
    const stateOf = new Map((states.all() as State[]).map(state => [state.product_id, state]))
    const priceOf = new Map((prices.all() as Price[]).map(price => [price.variant_id, price]))
    const all = sold.map((product): CatalogueProduct => {
      const variants = product.variants.map(variant => ({
        ...variant,
        price: priceOf.get(variant.id)?.price ?? variant.price,
      }))
      const state = stateOf.get(product.id)
      return {
        product: { ...product, variants, ...priced(variants) },
        status: state?.status ?? 'active',
        isDeleted: state?.is_deleted === 1,
        updatedAt: state?.updated_at ?? product.createdAt,
        variantUpdatedAt: id => priceOf.get(id)?.updated_at ?? product.createdAt,
      }
    })
    const onSale = all
      .filter(({ status, isDeleted }) => status === 'active' && !isDeleted)
      .map(({ product }) => product)
    const paths = new Set(onSale.map(product => product.url))
    return {
      all,
      onSale,
      byId: new Map(all.map(each => [String(each.product.id), each])),
      byHandle: new Map(onSale.map(product => [product.handle, product])),
      byVariant: new Map(
        onSale.flatMap(product =>
          product.variants.map(variant => [variant.id, { product, variant }] as const),
        ),
      ),
      collections: [
        { ...everything, products: onSale },
        ...collections.map(collection => ({
          ...collection,
          products: onSale.filter(product => product.collection === collection.handle),
        })),
      ],
      pages: shopPages.filter(page => page.kind !== 'product' || paths.has(page.path)),
    }
  }
  let now = read()

  const there = (id: string): CatalogueProduct => {
    const found = now.byId.get(id)
    if (!found || found.isDeleted) throw new HttpProblem(404, 'There is no such product.')
    return found
  }
  /** Makes one change of one product, together with the webhook about it. */
  const change = (
    id: string,
    write: (at: string) => void,
    topic: 'products/update' | 'products/delete',
  ): CatalogueProduct => {
    const at = clock()
    try {
      inTransaction(db, () => {
        write(at.toISOString())
        now = read()
        outbox.write(
          topic,
          topic === 'products/delete' ? { id } : productJson(now.byId.get(id)!, origin),
          at,
        )
      })
    } catch (error) {
      now = read()
      throw error
    }
    outbox.wake()
    return now.byId.get(id)!
  }

  return {
    onSale: () => now.onSale,
    collections: () => now.collections,
    findProduct: handle => now.byHandle.get(handle),
    findVariant: id => now.byVariant.get(id),
    pages: (text = '') => findPages(text, now.pages),
    search: terms => search(terms, now.onSale),
    all: () => now.all.filter(({ isDeleted }) => !isDeleted),
    byId: id => (now.byId.get(id)?.isDeleted === false ? now.byId.get(id) : undefined),
    deleted: () => now.all.filter(({ isDeleted }) => isDeleted),
    setPrices: (id, prices) => {
      const { product, status } = there(id)
      const known = new Set(product.variants.map(variant => String(variant.id)))
      const wrong = prices.flatMap(({ variantId, price }) => {
        if (!known.has(variantId))
          return [{ field: variantId, message: 'The product has no such product variant.' }]
        return Number.isInteger(price) && price >= 1 && price <= highestPrice
          ? []
          : [
              {
                field: variantId,
                message: 'A price above 0, and no higher than the shop’s highest.',
              },
            ]
      })
      if (new Set(prices.map(({ variantId }) => variantId)).size < prices.length)
        wrong.push({ field: 'prices', message: 'A product variant is named twice.' })
      if (wrong.length > 0 || prices.length === 0)
        throw new HttpProblem(422, wrong[0]?.message ?? 'No price was given.', wrong)
      const changed = prices.filter(
        ({ variantId, price }) =>
          product.variants.find(variant => String(variant.id) === variantId)!.price !== price,
      )
      if (changed.length === 0) return there(id)
      return change(
        id,
        at => {
          for (const { variantId, price } of changed) writePrice.run(Number(variantId), price, at)
          writeState.run(product.id, status, 0, at)
        },
        'products/update',
      )
    },
    setStatus: (id, status) => {
      const { product, status: before } = there(id)
      return status === before
        ? there(id)
        : change(id, at => writeState.run(product.id, status, 0, at), 'products/update')
    },
    remove: id => {
      const { product, status } = there(id)
      change(id, at => writeState.run(product.id, status, 1, at), 'products/delete')
    },
    restore: id => {
      const found = now.byId.get(id)
      if (!found) throw new HttpProblem(404, 'There is no such product.')
      if (found.isDeleted)
        change(id, at => writeState.run(found.product.id, found.status, 0, at), 'products/update')
    },
  }
}
