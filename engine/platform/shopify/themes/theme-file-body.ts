import type { ThemeFilesQuery } from '../documents/themes.ts'

type Files = NonNullable<NonNullable<ThemeFilesQuery['theme']>['files']>
type File = Files['nodes'][number]

/**
 * The text of a theme's file; null for a picture or a font. Large files come as an address, files
 * that are no text to Shopify in base64.
 */
export async function textOfFile(
  { body, contentType }: Pick<File, 'body' | 'contentType'>,
  read: (url: string) => Promise<Buffer>,
): Promise<string | null> {
  switch (body.__typename) {
    case 'OnlineStoreThemeFileBodyText':
      return body.content
    case 'OnlineStoreThemeFileBodyBase64':
      return textOf(Buffer.from(body.contentBase64, 'base64'), contentType)
    case 'OnlineStoreThemeFileBodyUrl':
      return isText(contentType) ? textOf(await read(body.url), contentType) : null
  }
}

const isText = (type: string): boolean => /^text\/|json|javascript|xml|liquid|x-empty/i.test(type)

const textOf = (bytes: Buffer, type: string): string | null =>
  isText(type) ? bytes.toString('utf8') : null
