; Three passengers on four floors; the lift starts on the first floor above ground.
(define (problem three-riders)
  (:domain elevator)
  (:objects
    ground first second third - floor
    ann bob cem - passenger)
  (:init
    (lift-at first)
    (next-up ground first) (next-up first second) (next-up second third)
    (waits-at ann ground) (wants ann second)
    (waits-at bob third) (wants bob ground)
    (waits-at cem first) (wants cem third))
  (:goal (and (arrived ann) (arrived bob) (arrived cem))))
