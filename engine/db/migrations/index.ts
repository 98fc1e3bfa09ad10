import type { Migration } from '../migrate.ts'
import { core } from './0001-core.ts'
import { events } from './0002-events.ts'

/** In the order they are run; one that has been released is never edited. */
export const migrations: readonly Migration[] = [core, events]
