import { pino } from 'pino'

/** A log without output, for parts that run without an engine. */
export const quietLog = pino({ level: 'silent' })
