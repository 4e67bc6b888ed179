import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatShortDay } from './format.ts'
import css from './plot.module.css'

export type Series = { label: string; values: readonly (number | null)[]; kind?: 'bars' | 'line'; scale?: 'y' | 'y2' }

/** Values over days. @param dates `YYYY-MM-DD` */
export function Plot({ label, dates, series }: { label: string; dates: readonly string[]; series: readonly Series[] }) {
  const frame = useRef<HTMLDivElement>(null)

  useEffect(() => {
    const element = frame.current
    if (element === null) return
    const axis = {
      stroke: resolve(element, 'var(--muted)'),
      grid: { stroke: resolve(element, 'var(--line)'), width: 1 },
    }
    const colors = [resolve(element, 'var(--accent)'), resolve(element, 'var(--warn)')]
    const bars = UPlot.paths.bars?.({ size: [0.6, 40] })
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
          { ...axis, scale: 'y2', side: 1, grid: { show: false }, show: series.some(({ scale }) => scale === 'y2') },
        ],
        series: [
          {},
          ...series.map(({ label: name, kind, scale = 'y' }, index) => ({
            label: name,
            scale,
            stroke: colors[index],
            width: 2,
            ...(kind === 'bars' && bars ? { paths: bars, fill: colors[index] } : {}),
            points: { show: false },
          })),
        ],
      },
      [dates.map((date) => Date.parse(date) / 1000), ...series.map(({ values }) => [...values])],
      element,
    )
    const resized = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: 220 }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      plot.destroy()
    }
  }, [dates, series])

  return (
    <figure className={css.figure}>
      <div ref={frame} className={css.plot} role="img" aria-label={label} />
      <figcaption className={css.legend}>
        {series.map(({ label: name }, index) => (
          <span key={name} className={index === 0 ? undefined : css.second}>
            {name}
          </span>
        ))}
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
