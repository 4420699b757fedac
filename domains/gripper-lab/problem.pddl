; Three tubes wait at the intake: two go to the centrifuge and one to the freezer.
(define (problem three-tubes)
  (:domain gripper-lab)
  (:objects
    intake centrifuge freezer - bench
    blood saliva serum - tube
    left right - arm)
  (:init
    (robot-at intake)
    (path intake centrifuge) (path centrifuge intake)
    (path centrifuge freezer) (path freezer centrifuge)
    (tube-at blood intake)
    (tube-at saliva intake)
    (tube-at serum intake)
    (free left) (free right))
  (:goal (and (tube-at blood centrifuge)
              (tube-at saliva centrifuge)
              (tube-at serum freezer))))
