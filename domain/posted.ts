/** A posted form. A value is a string, or several strings when the name occurs several times. */
export type Posted = Record<string, string | string[] | undefined>
