import type { TestKind } from '../../domain/tests/test-kind.ts'

const page = (x: number, width: number) =>
  `<rect class="paper" x="${x}" y="8.5" width="${width}" height="95" rx="5"/><path class="edge" d="M${x} 20.5h${width}"/>`
const line = (x: number, y: number, width: number) =>
  `<rect class="words" x="${x}" y="${y}" width="${width}" height="4" rx="2"/>`
const block = (x: number, y: number, width: number, height: number, name = 'block') =>
  `<rect class="${name}" x="${x}" y="${y}" width="${width}" height="${height}" rx="3"/>`
const own = (x: number, y: number, width: number, height: number) =>
  block(x, y, width, height, 'own')
const two = page(10.5, 84) + page(105.5, 84)

/**
 * A drawing of each kind, 200 × 112. Grey is the same for everyone; the accent colour is what half
 * of the visitors get.
 */
const drawings: Record<TestKind, string> = {
  PageElement: `${page(30.5, 139)}${block(40, 30, 52, 62)}${line(102, 32, 56)}${line(102, 42, 40)}${line(102, 52, 48)}${own(102, 70, 56, 16)}<rect class="pick" x="98.5" y="66.5" width="63" height="23" rx="4"/><path class="hand" d="m150 82 4 16 4-6 7-1z"/>`,
  PageContent: `${page(30.5, 139)}${own(40, 28, 120, 30)}<path class="on-own" d="m46 52 14-14 10 9 8-6 12 11zM104 36h44M104 44h30"/>${block(40, 66, 36, 28)}${block(82, 66, 36, 28)}${block(124, 66, 36, 28)}`,
  Template: `${two}${block(18, 28, 32, 44)}${line(56, 30, 30)}${line(56, 39, 22)}${block(56, 54, 30, 10)}${line(18, 80, 68)}${line(18, 90, 50)}${own(113, 28, 69, 22)}${line(113, 57, 30)}${line(113, 66, 22)}${own(149, 56, 33, 12)}${own(113, 80, 20, 14)}${own(137, 80, 20, 14)}${own(161, 80, 21, 14)}`,
  Theme: `${page(30.5, 139)}${block(40, 29, 54, 26)}${line(40, 64, 54)}${line(40, 74, 38)}${block(40, 84, 30, 10)}<path class="own" d="M100 9h65a4 4 0 0 1 4 4v86a4 4 0 0 1-4 4h-65z"/><path class="on-own" d="M100 20.5h69M108 30h52v24h-52zM108 66h52M108 76h36M108 89h24"/>`,
  UrlRedirect: `${page(10.5, 74)}${page(115.5, 74)}${block(18, 29, 59, 26)}${line(18, 64, 59)}${line(18, 74, 40)}${own(123, 29, 59, 26)}${own(123, 64, 59, 12)}${line(123, 84, 40)}<path class="arrow" d="M89 56h20m-7-7 7 7-7 7"/>`,
  Price: `${page(30.5, 139)}${block(40, 29, 56, 65)}<path class="mug" d="M54 50h24v20a7 7 0 0 1-7 7H61a7 7 0 0 1-7-7zm24 5h3a6 6 0 0 1 0 12h-3"/>${line(106, 32, 50)}<text class="was" x="106" y="60">$32</text><rect class="own" x="104" y="68" width="46" height="22" rx="4"/><text class="price" x="127" y="84" text-anchor="middle">$29</text>`,
  Api: `${page(30.5, 139)}${line(44, 32, 44)}${line(54, 44, 30)}<rect class="own" x="88" y="41" width="58" height="10" rx="3"/>${line(64, 58, 52)}${line(64, 70, 34)}${line(54, 82, 22)}${line(44, 92, 14)}<path class="arrow" d="m152 62 8 8-8 8m-14-16-8 8 8 8"/>`,
}

/** Decoration only: the card's heading and text say the same. */
export const KindDrawing = ({ kind }: { kind: TestKind }) => (
  <svg
    class="kind-drawing"
    viewBox="0 0 200 112"
    aria-hidden="true"
    dangerouslySetInnerHTML={{ __html: drawings[kind] }}
  />
)
