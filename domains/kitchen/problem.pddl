; Heat the soup from the fridge in the microwave and leave the fridge closed.
(define (problem warm-soup)
  (:domain kitchen)
  (:objects
    table - surface
    fridge - cabinet
    microwave - appliance
    soup apple - item)
  (:init
    (robot-at table)
    (item-at apple table)
    (item-at soup fridge))
  (:goal (and (item-at soup microwave)
              (running microwave)
              (not (opened fridge)))))
