import type { Toast } from '../domain/toast.ts'
import { Icon, type IconName } from './icons.tsx'

const icons: Record<Toast['tone'], IconName> = { good: 'check', bad: 'warning', plain: 'info' }

/** Where toasts appear. Every page has this place, because scripts show toasts too. */
export const Toasts = ({ toasts }: { toasts: Toast[] }) => (
  <div class="toasts" id="toasts" role="status">
    {toasts.map(each => (
      <ToastNote {...each} />
    ))}
  </div>
)

/** Toasts that htmx adds to those on the page, when it takes only a part of an answer. */
export const MoreToasts = ({ toasts }: { toasts: Toast[] }) => (
  <div hx-swap-oob="beforeend:#toasts">
    {toasts.map(each => (
      <ToastNote {...each} />
    ))}
  </div>
)

/** Stays until it is closed (requirements 25.21). */
const ToastNote = ({ text, tone }: Toast) => (
  <div class="toast" data-tone={tone}>
    <Icon name={icons[tone]} />
    <span>{text}</span>
    <button class="icon-only small" type="button" aria-label="Close">
      <Icon name="close" />
    </button>
  </div>
)
