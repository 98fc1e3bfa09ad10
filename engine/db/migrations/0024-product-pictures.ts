import type { Migration } from '../migrate.ts'

/** The picture of a product beside its title in reports. Titles that are known already are asked for once more, for the picture's sake. */
export const productPictures: Migration = {
  name: '0024-product-pictures',
  statements: [
    'alter table product_titles add column image text, add column is_pictured boolean not null default false',
  ],
}
