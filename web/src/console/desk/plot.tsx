import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatShortDay } from '../../ui/format.ts'
import css from './plot.module.css'
import { t } from './text.ts'

type Day = { date: string; orders: number; revenue: number }

/** Orders and revenue over days. */
export function Plot({ days }: { days: readonly Day[] }) {
  const frame = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const axis = {
      stroke: resolve(element, 'var(--muted)'),
      grid: { stroke: resolve(element, 'var(--line)'), width: 1 },
    }
    const accent = resolve(element, 'var(--accent)')
    const bars = UPlot.paths.bars?.({ size: [0.6, 40] })
    const line = { width: 2, points: { show: false } }
    const plot = new UPlot(
      {
        width: element.clientWidth,
        height: 220,
        legend: { show: false },
        cursor: { show: false },
        scales: { x: { time: true } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            values: (_plot, times) => times.map((time) => formatShortDay(time * 1000)),
          },
          { ...axis, scale: 'y', size: 60 },
          { ...axis, scale: 'orders', side: 1, grid: { show: false } },
        ],
        series: [
          {},
          { ...line, scale: 'orders', stroke: accent, fill: accent, ...(bars ? { paths: bars } : {}) },
          { ...line, scale: 'y', stroke: resolve(element, 'var(--warn)') },
        ],
      },
      [
        days.map(({ date }) => Date.parse(date) / 1000),
        days.map(({ orders }) => orders),
        days.map(({ revenue }) => revenue),
      ],
      element,
    )
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 220 }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      plot.destroy()
    }
  }, [days])

  return (
    <figure className={css.figure}>
      <div ref={frame} className={css.plot} role="img" aria-label={t.byDay} />
      <figcaption className={css.legend}>
        <span>{t.orders}</span>
        <span className={css.second}>{t.revenue}</span>
      </figcaption>
    </figure>
  )
}

/** A canvas needs a colour, where CSS has one for light and one for dark. */
function resolve(element: HTMLElement, value: string): string {
  const before = element.style.color
  element.style.color = value
  const color = getComputedStyle(element).color
  element.style.color = before
  return color
}
