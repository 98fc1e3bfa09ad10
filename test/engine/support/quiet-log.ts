import { pino } from 'pino'

/** For parts that are started without an engine. */
export const quietLog = pino({ level: 'silent' })
