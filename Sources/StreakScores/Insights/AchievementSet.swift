public import StreakGames

/// A player's progress in all ten achievements. Derived from results, so it can be recomputed at any time.
public struct AchievementSet: Hashable, Sendable {
    /// All ten, in order.
    public let progress: [AchievementProgress]

    /// Every tier reached, oldest first.
    public var unlocks: [TierUnlock] {
        progress.flatMap(\.unlocks).sorted(by: TierUnlock.isEarlier)
    }

    public subscript(achievement: Achievement) -> AchievementProgress {
        progress.first { $0.achievement == achievement }
            ?? AchievementProgress(achievement: achievement, value: 0, unlocks: [])
    }

    /// Reached tiers that were never celebrated, oldest first. A tier that was lost and regained stays celebrated.
    ///
    /// With `since`, only tiers reached on that day or later. Older ones get one summary.
    public func uncelebrated(_ celebrated: Set<AchievementTier>, since: PuzzleDay = .earliest) -> [TierUnlock] {
        unlocks.filter { $0.day >= since && !celebrated.contains($0.reached) }
    }

    /// The coins for all reached tiers, by day.
    public var coins: DatedCoins {
        DatedCoins(progress.flatMap(\.unlocks).map { DatedCoins.Entry(day: $0.day, coins: $0.reached.tier.coins) })
    }

    /// A summary of all ten achievements.
    public struct Overview: Hashable, Sendable {
        /// Achievements with at least one tier, of `total`.
        public var unlocked: Int
        public var total: Int
        /// How many achievements have each tier as their highest, bronze first.
        public var highest: [Int]
        /// The last reached tiers, newest first.
        public var latest: [TierUnlock]
        /// The closest next tiers, closest first, without achievements at the top.
        public var nearest: [AchievementProgress]
    }

    public func overview(latest: Int = 5, nearest: Int = 3) -> Overview {
        var highest = [Int](repeating: 0, count: Tier.allCases.count)
        for item in progress { if let tier = item.tier { highest[tier.rawValue] += 1 } }
        let open = progress.enumerated().filter { $0.element.next != nil }.sorted { left, right in
            Self.isNearer(left.element, right.element) ?? (left.offset < right.offset)
        }
        return Overview(
            unlocked: progress.count { $0.tier != nil }, total: progress.count, highest: highest,
            latest: Array(unlocks.reversed().prefix(max(latest, 0))),
            nearest: open.prefix(max(nearest, 0)).map(\.element))
    }

    /// By the fraction done, then by what is missing; `nil` for equals.
    private static func isNearer(_ left: AchievementProgress, _ right: AchievementProgress) -> Bool? {
        let (leftNext, rightNext) = (left.next ?? 1, right.next ?? 1)
        // Compares fractions by cross product, without rounding.
        let (leftShare, rightShare) = (left.value * rightNext, right.value * leftNext)
        if leftShare != rightShare { return leftShare > rightShare }
        let (leftMissing, rightMissing) = (leftNext - left.value, rightNext - right.value)
        return leftMissing == rightMissing ? nil : leftMissing < rightMissing
    }
}

extension PlayerInsights {
    /// Tiers and bars by all results. `day` only decides which run Daily Devotee's bar shows. O(games · log days).
    ///
    /// `friends`: for each friend in the group, the day they became one.
    public func achievements(on day: PuzzleDay, friends: [PuzzleDay] = []) -> AchievementSet {
        let total = days.total
        let gained = friends.map { Int32(truncatingIfNeeded: $0.daysSinceEpoch) }.sorted()
        var list: [AchievementProgress] = []
        for achievement in Achievement.allCases {
            switch achievement {
            case .streakMaster:
                list.append(streakMaster())
            case .gameCollector:
                list.append(summing(achievement, total.played) { $0.played })
            case .perfectionist:
                list.append(summing(achievement, total.completed) { $0.completed })
            case .dailyDevotee:
                var devotee = summing(achievement, total.longestRun) { $0.longestRun }
                let last = days.sum(through: day)
                devotee.value = Int(last.runEnd) >= day.daysSinceEpoch - 1 ? Int(last.run) : 0
                list.append(devotee)
            case .varietyPlayer:
                list.append(counting(achievement, firstDays.count) { firstDays[$0 - 1] })
            case .speedDemon:
                list.append(summing(achievement, total.perfect) { $0.perfect })
            case .marathonRunner:
                list.append(counting(achievement, days.count) { days.tallies[$0 - 1].day })
            case .personalBest:
                list.append(summing(achievement, total.records) { $0.records })
            case .socialPlayer:
                list.append(counting(achievement, gained.count) { gained[$0 - 1] })
            case .completionist:
                let golden = list.compactMap { item in item.unlocks.first { $0.reached.tier == .gold }?.day }.sorted()
                list.append(
                    counting(achievement, golden.count) { Int32(truncatingIfNeeded: golden[$0 - 1].daysSinceEpoch) })
            }
        }
        return AchievementSet(progress: list)
    }

    /// An achievement whose number only grows. A tier is reached on the day of its last event.
    private func counting(
        _ achievement: Achievement, _ value: Int, dayOf day: (_ ordinal: Int) -> Int32
    ) -> AchievementProgress {
        var unlocks: [TierUnlock] = []
        for (tier, threshold) in zip(Tier.allCases, achievement.thresholds) where value >= threshold {
            unlocks.append(
                TierUnlock(
                    AchievementTier(achievement, tier), on: PuzzleDay(daysSinceEpoch: Int(day(threshold)))))
        }
        return AchievementProgress(achievement: achievement, value: value, unlocks: unlocks)
    }

    /// One whose number is a running sum.
    private func summing(
        _ achievement: Achievement, _ value: Int32, of sum: (DaySums.Sum) -> Int32
    ) -> AchievementProgress {
        counting(achievement, Int(value)) { ordinal in days.first { sum($0) >= ordinal } ?? 0 }
    }

    /// The longest run in any one game, and for each tier the first day on which a run had its length.
    private func streakMaster() -> AchievementProgress {
        var longest = 0
        var firsts = [Int32](repeating: .max, count: StreakWalk.milestones.count)
        for chronicle in chronicles {
            longest = max(longest, chronicle.longestStreak)
            for place in firsts.indices {
                firsts[place] = min(firsts[place], chronicle.day(ofMilestone: place) ?? .max)
            }
        }
        return counting(.streakMaster, longest) { threshold in
            StreakWalk.milestones.firstIndex(of: threshold).map { firsts[$0] } ?? 0
        }
    }
}
