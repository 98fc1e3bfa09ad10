/** @jsxImportSource react */
import {
  type PieceField,
  type PieceKind,
  type PieceLook,
  pieceKinds,
  pieceMarkup,
  type PieceParts,
  pieces,
  readPiece,
} from '../../../domain/drafts/page-piece.ts'
import { attributeValueProblem } from '../../../domain/drafts/safe-html.ts'
import type { Row } from '../changes-state.ts'
import { PictureField } from './element-picture.tsx'
import { Icon } from '../../icon.tsx'

/** The menu of pieces that can be inserted. The merchant then picks the place on the page. */
export function Palette({
  disabled,
  onChoose,
}: {
  disabled: boolean
  onChoose: (kind: PieceKind) => void
}) {
  return (
    <details className="menu needs-script insert-menu">
      <summary className="button secondary small">
        <Icon name="plus" />
        Insert
      </summary>
      <ul className="menu-list">
        {pieceKinds.map(kind => (
          <li key={kind}>
            <button
              type="button"
              className="menu-act"
              disabled={disabled}
              onClick={event => {
                event.currentTarget.closest('details')!.open = false
                onChoose(kind)
              }}
            >
              {pieces[kind].label}
            </button>
          </li>
        ))}
      </ul>
    </details>
  )
}

type InsertedProps = {
  row: Row
  look: PieceLook | null
  onEdit: (part: Partial<Row>) => void
  onRemove: () => void
}
/** An inserted piece: its contents, and on which side of the element it is. */
export function Inserted({ row, look, onEdit, onRemove }: InsertedProps) {
  const piece = readPiece(row.value)
  const name = piece ? pieces[piece.kind].label : 'Markup of your own'
  const write = (part: Partial<PieceParts>): void => {
    if (piece) onEdit({ value: pieceMarkup(piece.kind, { ...piece.parts, ...part }, look) })
  }
  return (
    <section className="inserted" aria-label={`Inserted: ${name}`}>
      <div className="row inserted-head">
        <b>
          <Icon name="plus" />
          {name}
        </b>
        <button
          type="button"
          className="quiet small icon-only"
          aria-label={`Remove ${name.toLowerCase()}`}
          title="Remove"
          onClick={onRemove}
        >
          <Icon name="trash" />
        </button>
      </div>
      <label className="field">
        Place
        <select
          value={row.kind}
          onChange={e =>
            onEdit({
              kind: e.currentTarget.value === 'insertBefore' ? 'insertBefore' : 'insertAfter',
            })
          }
        >
          <option value="insertBefore">Before this element</option>
          <option value="insertAfter">After this element</option>
        </select>
      </label>
      {piece &&
        (pieces[piece.kind].fields as readonly PieceField[]).map(field => {
          const value = piece.parts[field]
          switch (field) {
            case 'text':
              return (
                <label key={field} className="field">
                  {piece.kind === 'trust' ? 'Points, one per line' : 'Text'}
                  {piece.kind === 'heading' || piece.kind === 'button' || piece.kind === 'badge' ? (
                    <input
                      value={value}
                      maxLength={500}
                      autoComplete="off"
                      onChange={e => write({ text: e.currentTarget.value })}
                    />
                  ) : (
                    <textarea
                      rows={piece.kind === 'trust' ? 4 : 2}
                      value={value}
                      maxLength={2000}
                      onChange={e =>
                        write({
                          text:
                            piece.kind === 'trust'
                              ? e.currentTarget.value
                              : e.currentTarget.value.replace(/\n/g, ' '),
                        })
                      }
                    />
                  )}
                </label>
              )
            case 'link':
              return <LinkInput key={field} value={value} onInput={link => write({ link })} />
            case 'image':
              return (
                <PictureField
                  key={field}
                  address={{ control: '', variant: value || null }}
                  alt={{ control: '', variant: piece.parts.alt || null }}
                  onAddress={image => write({ image: image ?? '' })}
                  onAlt={alt => write({ alt: alt ?? '' })}
                />
              )
            // Drawn together with the picture.
            case 'alt':
              return null
          }
        })}
      {piece?.kind === 'picture' && !piece.parts.image && (
        <p className="field-help element-warning">
          <Icon name="warning" />
          Give the address of a picture. Until then nothing is inserted.
        </p>
      )}
      {!piece && <p className="field-help">Edit it under Advanced.</p>}
    </section>
  )
}

function LinkInput({ value, onInput }: { value: string; onInput: (link: string) => void }) {
  const problem = attributeValueProblem(value)
  return (
    <label className="field">
      Link address
      <input
        value={value}
        maxLength={2000}
        autoComplete="off"
        aria-invalid={problem ? true : undefined}
        onChange={e => onInput(e.currentTarget.value)}
      />
      {problem && (
        <span className="field-error">
          <Icon name="warning" />
          {problem}
        </span>
      )}
    </label>
  )
}
