import t from 'tap'
import { dailySeries } from '../../../domain/reports/daily.ts'
import { emptyTotals } from '../../../domain/reports/goal-result.ts'
import { goalNames } from '../../../domain/reports/goal.ts'
import {
  isMetric,
  type Metric,
  metricNames,
  metrics,
  metricValue,
} from '../../../domain/reports/metric.ts'
import { dayOf } from '../support/results.ts'

// By definition: conversion rate = conversions ÷ visitors; average order value = revenue ÷ orders;
// and so on.
const totals = {
  ...emptyTotals,
  visitors: 200,
  clickers: 90,
  adders: 40,
  bounces: 70,
  sessions: 260,
  buyers: 10,
  orders: 12,
  revenue: 60_000,
}
const expected: Record<Metric, [value: number, unit: string]> = {
  Sessions: [260, 'count'],
  Orders: [12, 'count'],
  Revenue: [60_000, 'money'],
  Clicks: [90, 'count'],
  AddToCarts: [40, 'count'],
  ConversionRate: [0.05, 'rate'],
  AverageOrderValue: [5000, 'money'],
  RevenuePerSession: [300, 'money'],
  ClickThroughRate: [0.45, 'rate'],
  BounceRate: [0.35, 'rate'],
  AddToCartRate: [0.2, 'rate'],
  Conversions: [10, 'count'],
}

t.test('there are twelve metrics in a fixed order', async t => {
  t.same(metricNames, [
    'Sessions',
    'Orders',
    'Revenue',
    'Clicks',
    'AddToCarts',
    'ConversionRate',
    'AverageOrderValue',
    'RevenuePerSession',
    'ClickThroughRate',
    'BounceRate',
    'AddToCartRate',
    'Conversions',
  ])
  for (const metric of metricNames)
    t.same([metricValue(metric, totals), metrics[metric].unit], expected[metric], metric)
  t.same(
    metricNames.filter(metric => metrics[metric].goal).sort(),
    [...goalNames].sort(),
    'the five goals are metrics',
  )
  for (const name of ['Happiness', 'toString', 'constructor', '__proto__', 'sessions', ''])
    t.notOk(isMetric(name), name)
})

t.test('a rate with the denominator 0 has no value, and a count is 0', async t => {
  for (const metric of metricNames)
    t.equal(metricValue(metric, emptyTotals), metrics[metric].per ? null : 0, metric)
})

t.test(
  'a daily series has count, denominator and value; only goals have a chance to win',
  async t => {
    const days = [dayOf('2026-11-02', 0, 500, 15), dayOf('2026-11-02', 1, 500, 25)]
    const point = (metric: Metric) =>
      dailySeries({ metric, days, from: '2026-11-02', to: '2026-11-02', paused: new Map() })[0]!
    t.same(point('Revenue').arms[1], {
      visitors: 500,
      count: 125_000,
      denominator: null,
      value: 125_000,
    })
    t.same(point('BounceRate').arms[0], {
      visitors: 500,
      count: 125,
      denominator: 500,
      value: 0.25,
    })
    t.same(point('AverageOrderValue').arms[0], {
      visitors: 500,
      count: 75_000,
      denominator: 15,
      value: 5000,
    })
    for (const metric of metricNames)
      t.equal(point(metric).chanceToWin !== null, metrics[metric].goal !== null, metric)
  },
)
