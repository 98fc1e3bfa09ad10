import type { Migration } from '../migrate.ts'

/**
 * The picture of a product beside its title in reports. Products whose title is known are looked up
 * once more to get the picture.
 */
export const productPictures: Migration = {
  name: '0024-product-pictures',
  statements: [
    'alter table product_titles add column image text, add column is_pictured boolean not null default false',
  ],
}
