(define (problem timed-aw) (:domain timed-traj) (:objects a b c d - room)
  (:init (at a) (adj a b) (adj b a) (adj b c) (adj c b) (adj a d) (adj d c) (adj c d))
  (:goal (at c)) (:constraints (always-within 3 (at b) (at c))))
