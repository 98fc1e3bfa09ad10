import { encode } from 'uqr'

/**
 * An address as a QR code. It is dark on light in every colour scheme, so that phones can read it.
 * `label` says where it leads.
 */
export function QrCode({ url, label }: { url: string; label: string }) {
  // A QR code needs a quiet zone of four modules. Signed addresses are long, so the error
  // correction is the lowest (L): a screen is never damaged, and larger modules are easier to read.
  const { data, size } = encode(url, { ecc: 'L', border: 4 })
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect class="qr-ground" width={size} height={size} />
      <path class="qr-marks" d={marks(data)} />
    </svg>
  )
}

/** An SVG path in which each run of dark modules in a row is one rectangle. */
const marks = (rows: boolean[][]): string =>
  rows
    .map((row, y) => {
      let path = ''
      for (let x = 0, end = 0; x < row.length; x = end + 1) {
        end = x
        while (row[end]) end++
        if (end > x) path += `M${x} ${y}h${end - x}v1h${x - end}z`
      }
      return path
    })
    .join('')
