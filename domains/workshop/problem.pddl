; Join a wooden board and a metal bracket, in whichever order.
(define (problem small-shelf)
  (:domain workshop)
  (:objects board bracket - part)
  (:init
    (hand-free)
    (metal bracket))
  (:goal (or (joined board bracket) (joined bracket board))))
