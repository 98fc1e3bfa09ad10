import type { Migration } from '../migrate.ts'
import { core } from './0001-core.ts'
import { events } from './0002-events.ts'
import { changes } from './0003-changes.ts'

/** In the order they are run; one that has been released is never edited. */
export const migrations: readonly Migration[] = [core, events, changes]
