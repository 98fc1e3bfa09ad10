// Adds to the cart without leaving the page. Without scripts the browser sends the form and opens
// the cart.
const product = document.querySelector('[data-product]')
if (product) {
  const variants = JSON.parse(product.querySelector('[data-variants]').textContent)
  const form = product.querySelector('.product-form')
  const status = product.querySelector('.product-form__status')

  form.addEventListener('change', () => {
    const chosen = [...form.querySelectorAll('select')].map(select => select.value)
    const variant = variants.find(({ options }) => options.every((value, i) => value === chosen[i]))
    if (!variant) return
    form.elements.id.value = variant.id
    product.querySelector('.product__price').textContent = variant.price
  })
  form.addEventListener('submit', async event => {
    // "Buy it now" leaves the page.
    if (event.submitter?.hasAttribute('formaction')) return
    event.preventDefault()
    status.textContent = 'One moment'
    try {
      const answer = await fetch('/cart/add.js', {
        method: 'POST',
        body: new URLSearchParams(new FormData(form)),
      })
      const cart = await answer.json()
      if (!answer.ok) throw new Error(cart.message)
      document.querySelector('[data-cart-count]').textContent = cart.item_count
      status.innerHTML = 'It is in your cart. <a href="/cart">See the cart</a>'
    } catch (error) {
      status.textContent = error.message || 'That did not work. Please try again.'
    }
  })
}
document
  .querySelector('.collection__bar select')
  ?.addEventListener('change', event => event.target.form.requestSubmit())
