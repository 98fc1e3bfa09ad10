/** @jsxImportSource react */
import type { ReactNode } from 'react'
import { renderToString } from 'react-dom/server'
import type { BrandPalette } from '../../domain/brand/brand-palette.ts'
import { type ElementStyles, styleNames } from '../../domain/drafts/element-style.ts'
import { pieceMarkup, startOf } from '../../domain/drafts/page-piece.ts'
import type { Picked } from '../../domain/drafts/picker-message.ts'
import { ElementControls } from '../drafts/elements/element-controls.tsx'
import { Inserted, Palette } from '../drafts/elements/element-insert.tsx'
import { PictureUpload } from '../drafts/picture-upload.tsx'

/*
 * Parts of islands as the server draws them, for the page of the design system. Some of them show
 * only after an element was picked in the shop, so that page could not show them otherwise. No page
 * loads this file in the browser.
 */
const brand: BrandPalette = {
  colours: [
    { value: '#0b3d4f', label: 'Button' },
    { value: '#1f2a2e', label: 'Heading' },
    { value: '#f4ead8', label: 'Card' },
  ],
  fonts: ['Georgia'],
}
const styles: ElementStyles = {
  ...(Object.fromEntries(styleNames.map(name => [name, '0px'])) as ElementStyles),
  color: 'rgb(255, 255, 255)',
  'background-color': 'rgb(122, 74, 43)',
  'font-family': 'Georgia',
  'font-size': '15px',
  'font-weight': '600',
  'text-align': 'center',
  'border-top-style': 'none',
  'border-top-color': 'rgb(122, 74, 43)',
}
const none = { selector: '', address: '', alt: '' }
const picked: Picked = {
  selector: '.buy-button',
  count: 1,
  alike: '',
  alikeCount: 0,
  label: 'Button “Add to cart”',
  tag: 'button',
  text: 'Add to cart',
  html: 'Add to cart',
  image: '',
  attributes: [],
  link: none,
  picture: none,
  isPlain: true,
  styles,
  ground: 'rgb(255, 255, 255)',
  fonts: ['Georgia', 'Inter'],
}
const row = { key: 1, element: 1, selector: '.buy-button', name: '' }
const nothing = (): void => {}

const draw = (of: string, node: ReactNode): string => renderToString(node, { identifierPrefix: of })

/** Functions that return the HTML of each part. */
export const specimens = {
  elementControls: () =>
    draw(
      'controls',
      <ElementControls
        picked={picked}
        rows={[
          { ...row, kind: 'text', value: 'Ships today' },
          { ...row, key: 2, kind: 'style', name: 'color', value: '#335566' },
        ]}
        brand={brand}
        beside={{ valueOf: () => null, set: nothing }}
        onSet={nothing}
        onReset={nothing}
      />,
    ),
  palette: () => draw('palette', <Palette disabled={false} onChoose={nothing} />),
  inserted: () =>
    draw(
      'inserted',
      <Inserted
        row={{ ...row, kind: 'insertAfter', value: pieceMarkup('badge', startOf('badge'), null) }}
        look={null}
        onEdit={nothing}
        onRemove={nothing}
      />,
    ),
  upload: () =>
    draw(
      'upload',
      <PictureUpload
        to="/"
        shop="https://fern-and-kiln.example"
        label="Picture"
        address=""
        onAddress={nothing}
      />,
    ),
}
