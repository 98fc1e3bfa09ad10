/** @jsxImportSource react */
import { useEffect, useRef, useState } from 'react'
import type { DiscountCheck } from '../../domain/plans/discount.ts'
import type { Plan } from '../../domain/plans/plan.ts'
import {
  choiceAddress,
  flipped,
  highlighted,
  type PlanChoice,
  type PlanPosition,
} from '../../domain/plans/plan-offer.ts'
import { Icon } from '../icon.tsx'
import { downgradeId, type PlanActs, PlanCard } from './plan-card.tsx'
import { compareId, PlanCompare } from './plan-compare.tsx'
import { PlanControls } from './plan-controls.tsx'
import { PlanDowngrade } from './plan-downgrade.tsx'

export type PlanChooserProps = {
  /** The position at first. */
  choice: PlanChoice
  /** What each position offers. */
  positions: PlanPosition[]
  /** The store's plan; null when it has none, or has lost it. */
  current: Pick<Plan, 'title' | 'limit' | 'isAnnual'> | null
  discount: DiscountCheck
  /** The message that the code is valid; null when it is not. */
  message: string | null
  /** As in the acts of a card (plan-card.tsx). */
  page: string
  talk: string
  code: string | null
  /** Parameters of every address on the page: host, shop and code. */
  carried: Record<string, string>
  /** When the next billing cycle begins, in words. */
  nextCycle: string | null
  /** Id of the dialog that the address asks for; null without one. */
  asked: string | null
}

/**
 * The slider of visitors, the toggle of billing, and the plans that both choose. The server sends
 * the offers of every position, so cards and prices follow at once. Without script the controls are
 * a form, and its button asks the server for the position.
 */
export function PlanChooser(props: PlanChooserProps) {
  const { positions, current, discount, message, page, talk, code, carried, nextCycle } = props
  const [choice, setChoice] = useState(props.choice),
    [asked, setAsked] = useState(props.asked)
  const isMoved = useRef(false),
    turned = useRef<string | null>(null),
    offersElement = useRef<HTMLDivElement>(null)
  const choose = (change: Partial<PlanChoice>): void => {
    isMoved.current = true
    // A dialog of a position that comes back must not open again.
    setAsked(null)
    setChoice(before => ({ ...before, ...change }))
  }

  useEffect(() => {
    if (!isMoved.current) return
    // A reload keeps the choice.
    history.replaceState(history.state, '', choiceAddress(page, choice, carried))
    // The link that switched the period is gone, so its card's new button gets the focus.
    if (turned.current)
      offersElement.current
        ?.querySelector<HTMLElement>(`[aria-labelledby="plan-${turned.current}"] .button`)
        ?.focus()
    turned.current = null
  }, [choice])

  const offers =
    positions.find(
      ({ visitors, isAnnual }) => visitors === choice.visitors && isAnnual === choice.isAnnual,
    )?.offers ?? []
  const acts: PlanActs = {
    page,
    talk,
    state: choiceAddress('', choice, carried),
    flipped: choiceAddress(page, flipped(choice), carried),
    code,
  }
  const chosen = highlighted(offers, discount)
  return (
    <div className="stack">
      <PlanControls choice={choice} page={page} carried={carried} onChoose={choose} />
      <div className="stack" ref={offersElement}>
        {message && (
          <p className="banner" data-tone="good" role="status">
            <Icon name="check" />
            <span>{message}</span>
            <span className="note">
              Code <code>{code}</code>
            </span>
          </p>
        )}
        {offers.length === 0 ? (
          <p className="card card-body">
            No plan of this size is offered. Choose another number of visitors.
          </p>
        ) : (
          <div className="plan-grid">
            {offers.map(offer => (
              <PlanCard
                key={offer.plan.level}
                offer={offer}
                discount={discount}
                acts={acts}
                isChosen={offer === chosen}
                onFlip={() => {
                  turned.current = offer.plan.id
                  choose(flipped(choice))
                }}
              />
            ))}
          </div>
        )}
        {current &&
          offers.map(
            offer =>
              offer.act === 'downgrade' && (
                <PlanDowngrade
                  key={offer.plan.id}
                  offer={offer}
                  current={current}
                  acts={acts}
                  nextCycle={nextCycle}
                  isOpen={asked === downgradeId(offer.plan)}
                />
              ),
          )}
      </div>
      <div className="row plan-foot">
        <span className="note">
          Prices in US dollars. A change to a smaller plan takes effect at the next billing cycle.
        </span>
        <a
          className="button secondary small"
          href={choiceAddress(page, choice, { ...carried, ask: 'compare' })}
          data-modal={compareId}
          aria-haspopup="dialog"
        >
          Compare plans
        </a>
      </div>
      <PlanCompare offers={offers} closed={page + acts.state} isOpen={asked === compareId} />
    </div>
  )
}
