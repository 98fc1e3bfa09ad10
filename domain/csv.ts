/** The error for a file whose quotation marks the CSV parser cannot read. */
export const notCsv = 'This is not CSV: a quotation mark is missing or in the wrong place.'
