import { sql } from 'kysely'

/** Changes with every change of a store's row, by anyone. */
export const storeVersion = sql<string>`xmin::text`.as('version')
/** How often a delivery asks the platform; after that the platform sends it again. */
export const maxTries = 3
