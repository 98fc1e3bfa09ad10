// Keeps price, picture and product variant of the product page in step with the chosen options.
// Without scripts the form still works: it sends the options themselves.
const product = document.querySelector('[data-product]')
if (product) {
  const variants = JSON.parse(product.querySelector('[data-variants]').textContent)
  const form = product.querySelector('.product-form')
  const photo = product.querySelector('.product__photo')
  const thumbs = [...product.querySelectorAll('.product__thumbs a')]

  const show = src => {
    photo.src = src
    for (const thumb of thumbs)
      thumb.toggleAttribute('aria-current', thumb.getAttribute('href') === src)
  }
  form.addEventListener('change', () => {
    const chosen = [...form.querySelectorAll('input[type=radio]:checked')].map(input => input.value)
    const variant = variants.find(({ options }) => options.every((value, i) => value === chosen[i]))
    if (!variant) return
    form.elements.id.value = variant.id
    product.querySelector('.product__price').textContent = variant.price
    show(variant.picture)
    history.replaceState(
      history.state,
      '',
      `?${new URLSearchParams({ ...Object.fromEntries(new URLSearchParams(location.search)), variant: variant.id })}`,
    )
  })
  for (const thumb of thumbs) {
    thumb.addEventListener('click', event => {
      event.preventDefault()
      show(thumb.getAttribute('href'))
    })
  }
}
// Choosing an order is enough; the button is for browsers without scripts.
document
  .querySelector('.collection__bar select')
  ?.addEventListener('change', event => event.target.form.requestSubmit())
