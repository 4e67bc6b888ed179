export type ModelLine = { product: number; quantity: number; holding: boolean }
export type ModelOrder = {
  id: number
  status: string
  lines: ModelLine[]
  /** The supplier may have it. */
  sent: boolean
  /** It has the supplier's id. */
  accepted: boolean
  /** An attempt was unclear, and none was accepted since. */
  unclear: boolean
  /** Placed long ago, and never moved. */
  idle: boolean
}

const isOpen = (status: string) => ['NEW', 'PROCESSING', 'ERROR'].includes(status)

/** A naive model of availability: sequential and without derived state. */
export class AvailabilityModel {
  readonly stock: number[]
  readonly orders: ModelOrder[] = []
  /** Quantities of deleted orders that the supplier may have received. */
  detached: { product: number; quantity: number }[] = []
  readonly active: boolean[]
  /** Products that the last full load missed for the first time. */
  #missed = new Set<number>()

  constructor(stock: number[]) {
    this.stock = [...stock]
    this.active = stock.map(() => true)
  }

  /** Whether the next run is a full load, too. */
  get isInDoubt(): boolean {
    return this.#missed.size > 0
  }

  /** What is left of the stock, also of an inactive product. */
  available(product: number): number {
    const held = this.orders.flatMap(({ lines }) => lines.filter(({ holding }) => holding))
    const all = [...held, ...this.detached].filter((line) => line.product === product)
    return (this.stock[product] ?? 0) - all.reduce((sum, { quantity }) => sum + quantity, 0)
  }

  #fits(lines: Pick<ModelLine, 'product' | 'quantity'>[]): boolean {
    return this.stock.every((_, product) => {
      const wanted = lines.filter((line) => line.product === product)
      const sum = wanted.reduce((total, { quantity }) => total + quantity, 0)
      return sum === 0 || sum <= this.available(product)
    })
  }

  #canBeOrdered(lines: Pick<ModelLine, 'product' | 'quantity'>[]): boolean {
    return lines.every(({ product }) => this.active[product]) && this.#fits(lines)
  }

  /** @returns whether the order is placed */
  place(id: () => number, wanted: { product: number; quantity: number }[]): boolean {
    if (!this.#canBeOrdered(wanted)) return false
    const products = [...new Set(wanted.map(({ product }) => product))]
    const lines = products.map((product) => ({
      product,
      quantity: wanted.filter((line) => line.product === product).reduce((sum, line) => sum + line.quantity, 0),
      holding: true,
    }))
    const rest = { sent: false, accepted: false, unclear: false, idle: false }
    this.orders.push({ id: id(), status: 'NEW', lines, ...rest })
    return true
  }

  /** @returns whether the lines are reserved now */
  #find(order: ModelOrder, wasOpen: boolean): boolean {
    const wanting = wasOpen ? order.lines.filter(({ holding }) => !holding) : order.lines
    const before = wanting.map(({ holding }) => holding)
    for (const line of wanting) line.holding = false
    const found = this.#fits(wanting)
    for (const [index, line] of wanting.entries()) line.holding = found || before[index] === true
    return found
  }

  /** @returns whether the order may have that status */
  setStatus(order: ModelOrder, to: string): boolean {
    if (to === order.status) return true
    if (isOpen(to) && !this.#find(order, isOpen(order.status))) return false
    if (to === 'SENT') order.sent = true
    if (!isOpen(to) && (to === 'SENT' || !order.sent)) for (const line of order.lines) line.holding = to === 'SENT'
    order.status = to
    order.idle = false
    return true
  }

  /** @returns whether it is tried to submit the order */
  submit(order: ModelOrder): boolean {
    return isOpen(order.status) && this.#find(order, true)
  }

  submitted(order: ModelOrder, outcome: 'ACCEPTED' | 'REFUSED' | 'UNCLEAR'): void {
    order.status = outcome === 'ACCEPTED' ? 'SENT' : 'ERROR'
    order.idle = false
    if (outcome === 'REFUSED') return
    order.sent = true
    order.unclear = outcome === 'UNCLEAR'
    order.accepted ||= outcome === 'ACCEPTED'
  }

  /** Whether lines may be added and removed. */
  isEditable({ status, accepted, unclear }: ModelOrder): boolean {
    return isOpen(status) && !accepted && !unclear
  }

  /** @returns whether the line is added */
  add(order: ModelOrder, line: { product: number; quantity: number }): boolean {
    if (!this.isEditable(order) || !this.#canBeOrdered([line])) return false
    order.lines.push({ ...line, holding: order.lines.some(({ holding }) => holding) })
    return true
  }

  /** @returns whether the line is removed */
  remove(order: ModelOrder, index: number): boolean {
    if (!this.isEditable(order) || order.lines.length === 1) return false
    this.#detach(order, order.lines.splice(index, 1))
    return true
  }

  /** @returns whether the line has that quantity */
  setQuantity(order: ModelOrder, index: number, quantity: number): boolean {
    const line = order.lines[index]
    if (line === undefined || !this.isEditable(order)) return false
    const more = quantity - line.quantity
    if (more > 0 && !this.#canBeOrdered([{ ...line, quantity: line.holding ? more : quantity }])) return false
    if (more < 0) this.#detach(order, [{ ...line, quantity: -more }])
    line.quantity = quantity
    return true
  }

  delete(order: ModelOrder): void {
    this.orders.splice(this.orders.indexOf(order), 1)
    this.#detach(order, order.lines)
  }

  #detach(order: ModelOrder, lines: ModelLine[]): void {
    if (order.sent) this.detached.push(...lines.filter(({ holding }) => holding))
  }

  /** The supplier's stock of a product was read. */
  read(product: number, stock: number): void {
    this.stock[product] = stock
    this.active[product] = true
    this.#release(product)
  }

  /** A full load was read to its end. Its list is believed once nothing is missing from it for the first time. */
  readFully(unlisted: number[]): void {
    const missing = unlisted.filter((product) => this.active[product])
    const isGone = (product: number) => this.#missed.has(product)
    for (const product of missing.filter(isGone)) this.active[product] = false
    this.#missed = new Set(missing.filter((product) => !isGone(product)))
    if (!this.isInDoubt) for (const product of unlisted) this.#release(product)
  }

  #release(product: number): void {
    this.detached = this.detached.filter((line) => line.product !== product)
    for (const order of this.orders.filter(({ status, sent }) => sent && !isOpen(status)))
      for (const line of order.lines) if (line.product === product) line.holding = false
  }

  /** Lets the reservations of untouched orders expire. */
  letIdleGo(): void {
    for (const { status, sent, idle, lines } of this.orders)
      if (status === 'NEW' && !sent && idle) for (const line of lines) line.holding = false
  }
}
