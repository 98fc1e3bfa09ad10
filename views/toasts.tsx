import type { Toast } from '../domain/toast.ts'
import { Icon, type IconName } from './icons.tsx'

const icons: Record<Toast['tone'], IconName> = { good: 'check', bad: 'warning', plain: 'info' }

/** Where toasts appear: on every page, since the browser may have something to say too. */
export const Toasts = ({ toasts }: { toasts: Toast[] }) => (
  <div class="toasts" id="toasts" role="status">
    {toasts.map(each => (
      <ToastNote {...each} />
    ))}
  </div>
)

/** Added to what is there, on a page of which htmx takes a part. */
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
