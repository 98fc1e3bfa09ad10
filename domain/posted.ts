/** A posted form: every value a string, or several of one name. */
export type Posted = Record<string, string | string[] | undefined>
