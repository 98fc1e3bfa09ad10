import { encode } from 'uqr'

/** An address as a phone's camera reads it: dark on light whatever the page's colours are. `label` says where it leads. */
export function QrCode({ url, label }: { url: string; label: string }) {
  // The quiet zone of four modules is part of what is read. Signed addresses are long: on a screen, which is never torn, coarser marks serve better than repairs.
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

/** Each run of dark modules in a row as one oblong. */
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
