/**
 * An error with at least these fields, for `t.rejects`: tap compares only given fields, but its
 * types require a whole error.
 */
export const like = (part: object): Error => part as Error
